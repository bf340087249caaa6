//! Records after each other in one room are the same as alone.

use opentelemetry_proto::tonic::common::v1::ArrayValue;
use proptest::prelude::any;
use proptest::prelude::*;

use super::*;

/// Names that a resource's could be taken for, or that move their content.
const NAMES: [&str; 16] = [
    "resource",
    "resource.host.name",
    "resources",
    "host.name",
    "service.name",
    "cloud.account.id",
    "k8s.cluster.name",
    "Event",
    "System",
    "EventID",
    "winlog",
    "channel",
    "event_data",
    "properties",
    "message",
    "a",
];

const TEXTS: [&str; 8] = [
    "",
    "shop-1",
    "Storefront",
    "{\"resource\":{\"host.name\":\"b\"},\"a\":1}",
    "Jul  8 09:10:11 h sshd[1]: Failed password for root from 198.51.100.7 port 22 ssh2",
    "198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] \"GET /a?b=c%20d HTTP/1.1\" 200 5 \"-\" \"x\"",
    "order 5 paid",
    "é",
];

fn value() -> impl Strategy<Value = AnyValue> {
    let text = prop::sample::select(&TEXTS[..]).prop_map(|text| Any::StringValue(text.to_owned()));
    let leaf = prop_oneof![
        4 => text,
        1 => any::<i64>().prop_map(Any::IntValue),
        1 => prop::collection::vec(any::<u8>(), 0..4).prop_map(Any::BytesValue),
    ];
    let leaf = leaf.prop_map(|value| AnyValue { value: Some(value) });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let map = entries_of(inner.clone()).prop_map(|values| Any::KvlistValue(KeyValueList { values }));
        let array = prop::collection::vec(inner, 0..3);
        let array = array.prop_map(|values| Any::ArrayValue(ArrayValue { values }));
        prop_oneof![3 => map, 1 => array].prop_map(|value| AnyValue { value: Some(value) })
    })
}

fn entries_of(value: impl Strategy<Value = AnyValue>) -> impl Strategy<Value = Vec<KeyValue>> {
    let entry = (prop::sample::select(&NAMES[..]), value).prop_map(|(key, value)| KeyValue {
        key: key.to_owned(),
        value: Some(value),
        ..KeyValue::default()
    });
    prop::collection::vec(entry, 0..4)
}

fn groups() -> impl Strategy<Value = Vec<ResourceLogs>> {
    let record = (prop::option::of(value()), entries_of(value())).prop_map(|(body, attributes)| LogRecord {
        body,
        attributes,
        ..LogRecord::default()
    });
    let group = (prop::option::of(entries_of(value())), prop::collection::vec(record, 0..5)).prop_map(
        |(attributes, log_records)| ResourceLogs {
            resource: attributes.map(|attributes| Resource { attributes, ..Resource::default() }),
            scope_logs: vec![ScopeLogs { log_records, ..ScopeLogs::default() }],
            ..ResourceLogs::default()
        },
    );
    prop::collection::vec(group, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_is_what_it_is_alone(
        resource_logs in groups(),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_given_back in prop::collection::vec(prop::bool::weighted(0.8), 20),
    ) {
        let mut payload = ExportLogsServiceRequest { resource_logs }.encode_to_vec();
        if let Some(at) = cut.filter(|_| !payload.is_empty()).map(|at| at.index(payload.len())) {
            payload[at] ^= 0x55;
        }
        let mut room = Room::default();
        for (record, is_given_back) in records(&payload).zip(is_given_back.into_iter().cycle()) {
            let found = room.normalize(&record, received_at());
            prop_assert_eq!(format!("{found:?}"), format!("{:?}", normalize(&record, received_at())));
            // A record that panics is not.
            if is_given_back {
                room.take_back(found);
            }
        }
    }
}
