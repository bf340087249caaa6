//! The JSON grammar against `serde_json`, and bodies that are not JSON at all.

use std::fmt;

use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::generate::{any_damage, damaged};
use super::*;

/// An object of which only the grammar matters: neither numbers out of range nor halves of surrogate
/// pairs are judged.
struct Object;

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

/// Whether `body` is an array of objects in strict JSON.
fn oracle(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| serde_json::from_str::<Vec<Object>>(text).is_ok())
}

const SAMPLES: [&str; 6] = [
    r#"[{"a":1,"b":[true,false,null,-0.5e+10,0]},{"c":{"d":"e\u00e9\ud83d\ude00\n\\\"/\/"}}]"#,
    r#"[{"a":"é€😀"},{"":{}},{"x":[[],[[]],{}]}]"#,
    "[ {\t\"a\" :\r\n1 , \"b\": \"c\" } , { } ]",
    r#"[{"n":-0},{"n":0.0},{"n":1E5},{"n":1e-5},{"n":12345678901234567890}]"#,
    r#"[{"u":"\u0000\u001f\uD800\uDFFF\ud800"}]"#,
    r#"[{"time":"2026-07-08T09:10:11Z","level":"info","message":"a longer message with \"quotes\" inside"}]"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn damaged_text_is_judged_as_serde_json_judges_it(
        sample in prop::sample::select(SAMPLES.as_slice()),
        damage in any_damage(),
    ) {
        let body = damaged(sample.as_bytes().to_vec(), &damage);
        // The damage may result in an object, which is another format.
        prop_assume!(body.trim_ascii_start().first() != Some(&b'{'));
        let accepted = run(Format::Json, &body);
        prop_assert_eq!(accepted.is_ok(), oracle(&body), "{:?}: {:?}", String::from_utf8_lossy(&body), accepted.err());
    }

    #[test]
    fn no_body_makes_validation_panic(body in proptest::collection::vec(any::<u8>(), 0..64)) {
        for format in [Format::OtlpProtobuf, Format::Json, Format::Ndjson] {
            drop(run(format, &body));
        }
    }
}

#[test]
fn the_samples_are_json() {
    for sample in SAMPLES {
        assert!(oracle(sample.as_bytes()), "{sample}");
        assert!(run(Format::Json, sample.as_bytes()).is_ok(), "{sample}");
    }
}

#[test]
fn every_truncation_is_refused() {
    for sample in SAMPLES {
        for length in 0..sample.len() {
            let rejection = run(Format::Json, &sample.as_bytes()[..length]).unwrap_err();
            assert!(matches!(rejection, Rejection::Malformed { .. }), "{length} bytes of {sample}");
        }
    }
}
