//! The shape of an OTLP logs request, written down once: field numbers, names and kinds of the
//! messages in opentelemetry-proto 1.x (collector/logs, logs, resource, common). No code that reads
//! or writes them.

/// A field's key on the wire: its number and its wire type.
pub(crate) type Key = u32;

/// Wire types of protobuf that OTLP uses.
pub(crate) const VARINT: u32 = 0;
/// Eight bytes, little-endian.
pub(crate) const FIXED64: u32 = 1;
/// A length, then that many bytes.
pub(crate) const LENGTH: u32 = 2;
/// Four bytes, little-endian.
pub(crate) const FIXED32: u32 = 5;

const fn varint(number: u32) -> Key {
    number << 3 | VARINT
}

const fn fixed64(number: u32) -> Key {
    number << 3 | FIXED64
}

const fn length(number: u32) -> Key {
    number << 3 | LENGTH
}

const fn fixed32(number: u32) -> Key {
    number << 3 | FIXED32
}

/// Type of a field and its form in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldType {
    /// UTF-8 text.
    Text,
    /// UTF-8 texts.
    Texts,
    /// Bytes that OTLP JSON writes in hexadecimal.
    Hex,
    /// Bytes that OTLP JSON writes in base64.
    Base64,
    /// True or false.
    Bool,
    /// A signed 32-bit integer or an enumeration.
    Int32,
    /// A signed 64-bit integer.
    Int64,
    /// An unsigned 32-bit integer.
    Uint32,
    /// An unsigned 32-bit integer in four bytes.
    Fixed32,
    /// A moment in nanoseconds since the epoch, in eight bytes.
    UnixNano,
    /// A double.
    Double,
    /// One message.
    One(&'static Message),
    /// A list of messages.
    Many(&'static Message),
    /// A list of key-value pairs that the attribute limit counts.
    Attributes,
}

/// One field of a message.
#[derive(Debug)]
pub(crate) struct Field {
    /// Number and wire type.
    pub(crate) key: Key,
    /// The name in OTLP JSON.
    pub(crate) name: &'static str,
    /// The name in the `.proto` file, which we accept too.
    pub(crate) proto_name: &'static str,
    /// The name as JSON without whitespace has it: quoted, and with its colon.
    pub(crate) announced: &'static str,
    /// Type of the field.
    pub(crate) kind: FieldType,
}

/// Role of a message for the walkers, beyond its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Counted as a resource group.
    ResourceGroup,
    /// Counted as a scope.
    Scope,
    /// Counted as a record.
    Record,
    /// At most one of its fields is set.
    Value,
    /// One level of nesting.
    List,
    /// A key and its value.
    KeyValue,
    /// Nothing beyond its fields.
    Plain,
}

/// One message.
#[derive(Debug)]
pub(crate) struct Message {
    /// The name in the `.proto` file.
    pub(crate) name: &'static str,
    /// Role of the message.
    pub(crate) role: Role,
    /// Its fields, in the order in which senders usually write them in JSON.
    pub(crate) fields: &'static [Field],
}

impl Message {
    /// The field with this number, whatever its wire type.
    pub(crate) fn field(&self, number: u32) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key >> 3 == number)
    }

    /// Position of the field with this name in JSON.
    pub(crate) fn named(&self, name: &[u8]) -> Option<usize> {
        let by_name = self.fields.iter().position(|field| field.name.as_bytes() == name);
        by_name.or_else(|| self.fields.iter().position(|field| field.proto_name.as_bytes() == name))
    }
}

/// A message and the keys of its fields. A line states one field: its key, its name in JSON, its name in the `.proto`
/// file, and its type.
macro_rules! message {
    ($message:ident, $keys:ident, $name:literal, $role:ident {
        $($key:ident = $wire:ident($number:literal), $json:literal, $proto:literal, $type:ident $(($inner:ident))?;)+
    }) => {
        #[doc = concat!("Keys of `", $name, "`.")]
        pub(crate) mod $keys {
            $(pub(crate) const $key: super::Key = super::$wire($number);)+
        }

        #[doc = concat!("`", $name, "`.")]
        pub(crate) static $message: Message = Message {
            name: $name,
            role: Role::$role,
            fields: &[$(Field {
                key: $keys::$key,
                name: $json,
                proto_name: $proto,
                announced: concat!("\"", $json, "\":"),
                kind: FieldType::$type$((&$inner))?,
            }),+],
        };
    };
}

message!(REQUEST, request, "ExportLogsServiceRequest", Plain {
    RESOURCE_LOGS = length(1), "resourceLogs", "resource_logs", Many(RESOURCE_LOGS);
});

message!(RESOURCE_LOGS, resource_logs, "ResourceLogs", ResourceGroup {
    RESOURCE = length(1), "resource", "resource", One(RESOURCE);
    SCOPE_LOGS = length(2), "scopeLogs", "scope_logs", Many(SCOPE_LOGS);
    SCHEMA_URL = length(3), "schemaUrl", "schema_url", Text;
});

message!(RESOURCE, resource, "Resource", Plain {
    ATTRIBUTES = length(1), "attributes", "attributes", Attributes;
    DROPPED_ATTRIBUTES_COUNT = varint(2), "droppedAttributesCount", "dropped_attributes_count", Uint32;
    ENTITY_REFS = length(3), "entityRefs", "entity_refs", Many(ENTITY_REF);
});

message!(ENTITY_REF, entity_ref, "EntityRef", Plain {
    SCHEMA_URL = length(1), "schemaUrl", "schema_url", Text;
    TYPE = length(2), "type", "type", Text;
    ID_KEYS = length(3), "idKeys", "id_keys", Texts;
    DESCRIPTION_KEYS = length(4), "descriptionKeys", "description_keys", Texts;
});

message!(SCOPE_LOGS, scope_logs, "ScopeLogs", Scope {
    SCOPE = length(1), "scope", "scope", One(SCOPE);
    LOG_RECORDS = length(2), "logRecords", "log_records", Many(LOG_RECORD);
    SCHEMA_URL = length(3), "schemaUrl", "schema_url", Text;
});

message!(SCOPE, scope, "InstrumentationScope", Plain {
    NAME = length(1), "name", "name", Text;
    VERSION = length(2), "version", "version", Text;
    ATTRIBUTES = length(3), "attributes", "attributes", Attributes;
    DROPPED_ATTRIBUTES_COUNT = varint(4), "droppedAttributesCount", "dropped_attributes_count", Uint32;
});

message!(LOG_RECORD, log_record, "LogRecord", Record {
    TIME_UNIX_NANO = fixed64(1), "timeUnixNano", "time_unix_nano", UnixNano;
    OBSERVED_TIME_UNIX_NANO = fixed64(11), "observedTimeUnixNano", "observed_time_unix_nano", UnixNano;
    SEVERITY_NUMBER = varint(2), "severityNumber", "severity_number", Int32;
    SEVERITY_TEXT = length(3), "severityText", "severity_text", Text;
    BODY = length(5), "body", "body", One(ANY_VALUE);
    ATTRIBUTES = length(6), "attributes", "attributes", Attributes;
    DROPPED_ATTRIBUTES_COUNT = varint(7), "droppedAttributesCount", "dropped_attributes_count", Uint32;
    FLAGS = fixed32(8), "flags", "flags", Fixed32;
    TRACE_ID = length(9), "traceId", "trace_id", Hex;
    SPAN_ID = length(10), "spanId", "span_id", Hex;
    EVENT_NAME = length(12), "eventName", "event_name", Text;
});

message!(KEY_VALUE, key_value, "KeyValue", KeyValue {
    KEY = length(1), "key", "key", Text;
    VALUE = length(2), "value", "value", One(ANY_VALUE);
    KEY_STRINDEX = varint(3), "keyStrindex", "key_strindex", Int32;
});

message!(ANY_VALUE, any_value, "AnyValue", Value {
    STRING_VALUE = length(1), "stringValue", "string_value", Text;
    INT_VALUE = varint(3), "intValue", "int_value", Int64;
    BOOL_VALUE = varint(2), "boolValue", "bool_value", Bool;
    DOUBLE_VALUE = fixed64(4), "doubleValue", "double_value", Double;
    ARRAY_VALUE = length(5), "arrayValue", "array_value", One(ARRAY_VALUE);
    KVLIST_VALUE = length(6), "kvlistValue", "kvlist_value", One(KEY_VALUE_LIST);
    BYTES_VALUE = length(7), "bytesValue", "bytes_value", Base64;
    STRING_VALUE_STRINDEX = varint(8), "stringValueStrindex", "string_value_strindex", Int32;
});

message!(ARRAY_VALUE, array_value, "ArrayValue", List {
    VALUES = length(1), "values", "values", Many(ANY_VALUE);
});

message!(KEY_VALUE_LIST, key_value_list, "KeyValueList", List {
    VALUES = length(1), "values", "values", Many(KEY_VALUE);
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` for `message` and everything in it.
    fn visit(message: &'static Message, seen: &mut Vec<&'static str>, check: &mut impl FnMut(&Message)) {
        if seen.contains(&message.name) {
            return;
        }
        seen.push(message.name);
        check(message);
        for field in message.fields {
            match field.kind {
                FieldType::One(inner) | FieldType::Many(inner) => visit(inner, seen, check),
                FieldType::Attributes => visit(&KEY_VALUE, seen, check),
                _ => {}
            }
        }
    }

    #[test]
    fn keys_take_one_byte_and_fit_a_set_of_32() {
        let mut seen = Vec::new();
        visit(&REQUEST, &mut seen, &mut |message| {
            for (position, field) in message.fields.iter().enumerate() {
                assert!(field.key < 0x80 && field.key >> 3 < 32, "{}.{}", message.name, field.name);
                for name in [field.name, field.proto_name] {
                    assert_eq!(message.named(name.as_bytes()), Some(position), "{}.{name}", message.name);
                }
            }
        });
        assert_eq!(seen.len(), 11);
    }
}
