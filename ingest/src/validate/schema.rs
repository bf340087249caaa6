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

/// What a field holds and how JSON writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
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
    /// What it holds.
    pub(crate) kind: Kind,
}

/// What a message means to the walkers, beyond its fields.
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
    /// What it means.
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

/// A field with its two names.
macro_rules! field {
    ($key:expr, $name:literal, $proto_name:literal, $kind:expr $(,)?) => {
        Field {
            key: $key,
            name: $name,
            proto_name: $proto_name,
            announced: concat!("\"", $name, "\":"),
            kind: $kind,
        }
    };
}

/// Keys of `ExportLogsServiceRequest`.
pub(crate) mod request {
    pub(crate) const RESOURCE_LOGS: super::Key = super::length(1);
}

/// Keys of `ResourceLogs`.
pub(crate) mod resource_logs {
    pub(crate) const RESOURCE: super::Key = super::length(1);
    pub(crate) const SCOPE_LOGS: super::Key = super::length(2);
    pub(crate) const SCHEMA_URL: super::Key = super::length(3);
}

/// Keys of `Resource`.
pub(crate) mod resource {
    pub(crate) const ATTRIBUTES: super::Key = super::length(1);
    pub(crate) const DROPPED_ATTRIBUTES_COUNT: super::Key = super::varint(2);
    pub(crate) const ENTITY_REFS: super::Key = super::length(3);
}

/// Keys of `EntityRef`.
pub(crate) mod entity_ref {
    pub(crate) const SCHEMA_URL: super::Key = super::length(1);
    pub(crate) const TYPE: super::Key = super::length(2);
    pub(crate) const ID_KEYS: super::Key = super::length(3);
    pub(crate) const DESCRIPTION_KEYS: super::Key = super::length(4);
}

/// Keys of `ScopeLogs`.
pub(crate) mod scope_logs {
    pub(crate) const SCOPE: super::Key = super::length(1);
    pub(crate) const LOG_RECORDS: super::Key = super::length(2);
    pub(crate) const SCHEMA_URL: super::Key = super::length(3);
}

/// Keys of `InstrumentationScope`.
pub(crate) mod scope {
    pub(crate) const NAME: super::Key = super::length(1);
    pub(crate) const VERSION: super::Key = super::length(2);
    pub(crate) const ATTRIBUTES: super::Key = super::length(3);
    pub(crate) const DROPPED_ATTRIBUTES_COUNT: super::Key = super::varint(4);
}

/// Keys of `LogRecord`.
pub(crate) mod log_record {
    pub(crate) const TIME_UNIX_NANO: super::Key = super::fixed64(1);
    pub(crate) const SEVERITY_NUMBER: super::Key = super::varint(2);
    pub(crate) const SEVERITY_TEXT: super::Key = super::length(3);
    pub(crate) const BODY: super::Key = super::length(5);
    pub(crate) const ATTRIBUTES: super::Key = super::length(6);
    pub(crate) const DROPPED_ATTRIBUTES_COUNT: super::Key = super::varint(7);
    pub(crate) const FLAGS: super::Key = super::fixed32(8);
    pub(crate) const TRACE_ID: super::Key = super::length(9);
    pub(crate) const SPAN_ID: super::Key = super::length(10);
    pub(crate) const OBSERVED_TIME_UNIX_NANO: super::Key = super::fixed64(11);
    pub(crate) const EVENT_NAME: super::Key = super::length(12);
}

/// Keys of `KeyValue`.
pub(crate) mod key_value {
    pub(crate) const KEY: super::Key = super::length(1);
    pub(crate) const VALUE: super::Key = super::length(2);
    pub(crate) const KEY_STRINDEX: super::Key = super::varint(3);
}

/// Keys of `AnyValue`.
pub(crate) mod any_value {
    pub(crate) const STRING_VALUE: super::Key = super::length(1);
    pub(crate) const BOOL_VALUE: super::Key = super::varint(2);
    pub(crate) const INT_VALUE: super::Key = super::varint(3);
    pub(crate) const DOUBLE_VALUE: super::Key = super::fixed64(4);
    pub(crate) const ARRAY_VALUE: super::Key = super::length(5);
    pub(crate) const KVLIST_VALUE: super::Key = super::length(6);
    pub(crate) const BYTES_VALUE: super::Key = super::length(7);
    pub(crate) const STRING_VALUE_STRINDEX: super::Key = super::varint(8);
}

/// Keys of `ArrayValue` and of `KeyValueList`, which look alike.
pub(crate) mod list {
    pub(crate) const VALUES: super::Key = super::length(1);
}

/// `ExportLogsServiceRequest`.
pub(crate) static REQUEST: Message = Message {
    name: "ExportLogsServiceRequest",
    role: Role::Plain,
    fields: &[field!(request::RESOURCE_LOGS, "resourceLogs", "resource_logs", Kind::Many(&RESOURCE_LOGS))],
};

/// `ResourceLogs`.
pub(crate) static RESOURCE_LOGS: Message = Message {
    name: "ResourceLogs",
    role: Role::ResourceGroup,
    fields: &[
        field!(resource_logs::RESOURCE, "resource", "resource", Kind::One(&RESOURCE)),
        field!(resource_logs::SCOPE_LOGS, "scopeLogs", "scope_logs", Kind::Many(&SCOPE_LOGS)),
        field!(resource_logs::SCHEMA_URL, "schemaUrl", "schema_url", Kind::Text),
    ],
};

/// `Resource`.
pub(crate) static RESOURCE: Message = Message {
    name: "Resource",
    role: Role::Plain,
    fields: &[
        field!(resource::ATTRIBUTES, "attributes", "attributes", Kind::Attributes),
        field!(
            resource::DROPPED_ATTRIBUTES_COUNT,
            "droppedAttributesCount",
            "dropped_attributes_count",
            Kind::Uint32,
        ),
        field!(resource::ENTITY_REFS, "entityRefs", "entity_refs", Kind::Many(&ENTITY_REF)),
    ],
};

/// `EntityRef`.
pub(crate) static ENTITY_REF: Message = Message {
    name: "EntityRef",
    role: Role::Plain,
    fields: &[
        field!(entity_ref::SCHEMA_URL, "schemaUrl", "schema_url", Kind::Text),
        field!(entity_ref::TYPE, "type", "type", Kind::Text),
        field!(entity_ref::ID_KEYS, "idKeys", "id_keys", Kind::Texts),
        field!(entity_ref::DESCRIPTION_KEYS, "descriptionKeys", "description_keys", Kind::Texts),
    ],
};

/// `ScopeLogs`.
pub(crate) static SCOPE_LOGS: Message = Message {
    name: "ScopeLogs",
    role: Role::Scope,
    fields: &[
        field!(scope_logs::SCOPE, "scope", "scope", Kind::One(&SCOPE)),
        field!(scope_logs::LOG_RECORDS, "logRecords", "log_records", Kind::Many(&LOG_RECORD)),
        field!(scope_logs::SCHEMA_URL, "schemaUrl", "schema_url", Kind::Text),
    ],
};

/// `InstrumentationScope`.
pub(crate) static SCOPE: Message = Message {
    name: "InstrumentationScope",
    role: Role::Plain,
    fields: &[
        field!(scope::NAME, "name", "name", Kind::Text),
        field!(scope::VERSION, "version", "version", Kind::Text),
        field!(scope::ATTRIBUTES, "attributes", "attributes", Kind::Attributes),
        field!(
            scope::DROPPED_ATTRIBUTES_COUNT,
            "droppedAttributesCount",
            "dropped_attributes_count",
            Kind::Uint32,
        ),
    ],
};

/// `LogRecord`.
pub(crate) static LOG_RECORD: Message = Message {
    name: "LogRecord",
    role: Role::Record,
    fields: &[
        field!(log_record::TIME_UNIX_NANO, "timeUnixNano", "time_unix_nano", Kind::UnixNano),
        field!(
            log_record::OBSERVED_TIME_UNIX_NANO,
            "observedTimeUnixNano",
            "observed_time_unix_nano",
            Kind::UnixNano,
        ),
        field!(log_record::SEVERITY_NUMBER, "severityNumber", "severity_number", Kind::Int32),
        field!(log_record::SEVERITY_TEXT, "severityText", "severity_text", Kind::Text),
        field!(log_record::BODY, "body", "body", Kind::One(&ANY_VALUE)),
        field!(log_record::ATTRIBUTES, "attributes", "attributes", Kind::Attributes),
        field!(
            log_record::DROPPED_ATTRIBUTES_COUNT,
            "droppedAttributesCount",
            "dropped_attributes_count",
            Kind::Uint32,
        ),
        field!(log_record::FLAGS, "flags", "flags", Kind::Fixed32),
        field!(log_record::TRACE_ID, "traceId", "trace_id", Kind::Hex),
        field!(log_record::SPAN_ID, "spanId", "span_id", Kind::Hex),
        field!(log_record::EVENT_NAME, "eventName", "event_name", Kind::Text),
    ],
};

/// `KeyValue`.
pub(crate) static KEY_VALUE: Message = Message {
    name: "KeyValue",
    role: Role::KeyValue,
    fields: &[
        field!(key_value::KEY, "key", "key", Kind::Text),
        field!(key_value::VALUE, "value", "value", Kind::One(&ANY_VALUE)),
        field!(key_value::KEY_STRINDEX, "keyStrindex", "key_strindex", Kind::Int32),
    ],
};

/// `AnyValue`.
pub(crate) static ANY_VALUE: Message = Message {
    name: "AnyValue",
    role: Role::Value,
    fields: &[
        field!(any_value::STRING_VALUE, "stringValue", "string_value", Kind::Text),
        field!(any_value::INT_VALUE, "intValue", "int_value", Kind::Int64),
        field!(any_value::BOOL_VALUE, "boolValue", "bool_value", Kind::Bool),
        field!(any_value::DOUBLE_VALUE, "doubleValue", "double_value", Kind::Double),
        field!(any_value::ARRAY_VALUE, "arrayValue", "array_value", Kind::One(&ARRAY_VALUE)),
        field!(any_value::KVLIST_VALUE, "kvlistValue", "kvlist_value", Kind::One(&KEY_VALUE_LIST)),
        field!(any_value::BYTES_VALUE, "bytesValue", "bytes_value", Kind::Base64),
        field!(any_value::STRING_VALUE_STRINDEX, "stringValueStrindex", "string_value_strindex", Kind::Int32),
    ],
};

/// `ArrayValue`.
pub(crate) static ARRAY_VALUE: Message = Message {
    name: "ArrayValue",
    role: Role::List,
    fields: &[field!(list::VALUES, "values", "values", Kind::Many(&ANY_VALUE))],
};

/// `KeyValueList`.
pub(crate) static KEY_VALUE_LIST: Message = Message {
    name: "KeyValueList",
    role: Role::List,
    fields: &[field!(list::VALUES, "values", "values", Kind::Many(&KEY_VALUE))],
};

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
                Kind::One(inner) | Kind::Many(inner) => visit(inner, seen, check),
                Kind::Attributes => visit(&KEY_VALUE, seen, check),
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
