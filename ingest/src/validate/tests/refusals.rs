//! Every refusal of syntax: the record it names and its message.

use super::*;

fn refusal(format: Format, body: &[u8]) -> String {
    match run(format, body) {
        Ok(_) => format!("accepted: {}", String::from_utf8_lossy(body)),
        Err(rejection) => rejection.to_string(),
    }
}

#[test]
fn of_json_bodies() {
    let cases: [(&[u8], &str); 12] = [
        (b"", "the JSON ends where an OTLP logs request or an array of log objects is expected"),
        (b" \n", "the JSON ends where an OTLP logs request or an array of log objects is expected"),
        (b"7", "expected an OTLP logs request or an array of log objects at byte 0, found '7'"),
        (b"\"[]\"", "expected an OTLP logs request or an array of log objects at byte 0, found '\"'"),
        (
            br#"{"message":"hi"}"#,
            "the object has no resourceLogs, expected an OTLP logs request or an array of log objects",
        ),
        (
            br#"{"resourceSpans":[]}"#,
            "the object has no resourceLogs, expected an OTLP logs request or an array of log objects",
        ),
        (b"{} {}", "expected the end at byte 3, found '{'"),
        (b"[{}] x", "expected the end at byte 5, found 'x'"),
        (br#"{"resourceLogs":{}}"#, "expected an array at byte 16, found '{'"),
        (br#"{"resourceLogs":[null]}"#, "expected an object at byte 17, found 'n'"),
        (br#"{"resourceLogs":[],"resource_logs":[]}"#, "the field resourceLogs occurs twice in one object"),
        (b"{\"resourceLogs\":[],\"x\":\"\xff\"}", "the body is not UTF-8 at byte 24"),
    ];
    for (body, words) in cases {
        assert_eq!(refusal(Format::Json, body), words);
    }
}

#[test]
fn of_records_in_otlp_json() {
    let cases: [(&str, &str); 27] = [
        (r#""body":"text""#, "expected an object at byte 57, found '\"'"),
        (r#""body":{"stringValue":1}"#, "expected a string at byte 72, found '1'"),
        (
            r#""body":{"stringValue":"a","intValue":1}"#,
            "a value has intValue beside another value, expected one",
        ),
        (r#""body":{"intValue":1,"int_value":1}"#, "the field intValue occurs twice in one object"),
        (r#""body":{"intValue":9223372036854775808}"#, "intValue is not a 64-bit integer"),
        (r#""body":{"intValue":1.5}"#, "intValue is not a 64-bit integer"),
        (r#""body":{"intValue":"one"}"#, "intValue is not a 64-bit integer"),
        (r#""body":{"intValue":""}"#, "intValue is not a 64-bit integer"),
        (r#""body":{"intValue":true}"#, "expected an integer or a string of digits at byte 69, found 't'"),
        (r#""body":{"boolValue":1}"#, "expected true or false at byte 70, found '1'"),
        (r#""body":{"boolValue":tru}"#, "expected true at byte 70, found 't'"),
        (r#""body":{"doubleValue":1e999}"#, "doubleValue is not a 64-bit floating point number"),
        (r#""body":{"doubleValue":"inf"}"#, "doubleValue is not a 64-bit floating point number"),
        (r#""body":{"bytesValue":"a$=="}"#, "bytesValue is not base64"),
        (r#""body":{"arrayValue":[]}"#, "expected an object at byte 71, found '['"),
        (r#""body":{"arrayValue":{"values":[null]}}"#, "expected an object at byte 82, found 'n'"),
        (r#""severityNumber":"9""#, "expected a number at byte 67, found '\"'"),
        (r#""severityNumber":2147483648"#, "severityNumber is not a severity number"),
        (r#""timeUnixNano":-1"#, "timeUnixNano is not a time in nanoseconds since the epoch"),
        (
            r#""timeUnixNano":18446744073709551616"#,
            "timeUnixNano is not a time in nanoseconds since the epoch",
        ),
        (r#""flags":4294967296"#, "flags is not an unsigned 32-bit integer"),
        (r#""droppedAttributesCount":-1"#, "droppedAttributesCount is not an unsigned 32-bit integer"),
        (r#""traceId":"abc""#, "traceId is not pairs of hexadecimal digits"),
        (r#""spanId":"zz""#, "spanId is not pairs of hexadecimal digits"),
        (r#""traceId":12"#, "expected a string of hexadecimal digits at byte 60, found '1'"),
        (r#""body":{},"body":null"#, "the field body occurs twice in one object"),
        (r#""unknown":{"a":}"#, "expected a JSON value at byte 65, found '}'"),
    ];
    for (members, words) in cases {
        let body = format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{}},{{{members}}}]}}]}}]}}"#);
        assert_eq!(refusal(Format::Json, body.as_bytes()), format!("record 1: {words}"), "{members}");
    }
}

#[test]
fn of_drain_records() {
    let cases: [(&[u8], &str); 25] = [
        (b"[]", "expected a log object at byte 3, found '['"),
        (b"1", "expected a log object at byte 3, found '1'"),
        (b"null", "expected a log object at byte 3, found 'n'"),
        (b"\"text\"", "expected a log object at byte 3, found '\"'"),
        (b"{\"a\"}", "expected ':' at byte 7, found '}'"),
        (b"{\"a\":}", "expected a JSON value at byte 8, found '}'"),
        (b"{\"a\":1,}", "expected a field name at byte 10, found '}'"),
        (b"{\"a\":1 \"b\":2}", "expected ',' or '}' at byte 10, found '\"'"),
        (b"{,}", "expected a field name or '}' at byte 4, found ','"),
        (b"{a:1}", "expected a field name or '}' at byte 4, found 'a'"),
        (b"{\"a\":[1,]}", "expected a JSON value at byte 11, found ']'"),
        (b"{\"a\":[1 2]}", "expected ',' or ']' at byte 11, found '2'"),
        (b"{\"a\":01}", "expected ',' or '}' at byte 9, found '1'"),
        (b"{\"a\":-}", "expected a digit at byte 9, found '}'"),
        (b"{\"a\":1.}", "expected a digit at byte 10, found '}'"),
        (b"{\"a\":1e+}", "expected a digit at byte 11, found '}'"),
        (b"{\"a\":+1}", "expected a JSON value at byte 8, found '+'"),
        (b"{\"a\":NaN}", "expected a JSON value at byte 8, found 'N'"),
        (b"{\"a\":nul}", "expected null at byte 8, found 'n'"),
        (b"{\"a\":\"\\x\"}", "the JSON string has an invalid escape sequence at byte 9"),
        (b"{\"a\":\"\\u12g4\"}", "the JSON string has an invalid escape sequence at byte 9"),
        (b"{\"a\":\"b\tc\"}", "the JSON string has an unescaped control character at byte 10"),
        (b"{\"a\":\"\xc3\"}", "the body is not UTF-8 at byte 9"),
        (b"{\"a\":1", "the JSON ends where ',' or '}' is expected"),
        (b"{\"a\":\"b", "the JSON ends where the rest of a string is expected"),
    ];
    for (record, words) in cases {
        let lines = [b"{}\n", record].concat();
        assert_eq!(refusal(Format::Ndjson, &lines), format!("record 1: {words}"));
        let array = [b"[{},", record, b"]"].concat();
        let Err(Rejection::Malformed { record: index, .. }) = run(Format::Json, &array) else {
            panic!("accepted: {}", String::from_utf8_lossy(&array));
        };
        assert_eq!(index, Some(1), "{}", String::from_utf8_lossy(&array));
    }
}

#[test]
fn of_lines() {
    for (body, words) in [
        (&b""[..], "the body holds no record, expected at least one"),
        (b"\n \r\n\n", "the body holds no record, expected at least one"),
        (b"{} {}", "record 0: expected the end at byte 3, found '{'"),
        (b"{}\n{\n}", "record 1: the JSON ends where a field name or '}' is expected"),
        (b"{}\r{}", "record 0: expected the end at byte 3, found '{'"),
        (b"\n\n{}\n\xff", "the body is not UTF-8 at byte 5"),
        (b"\xff", "the body is not UTF-8 at byte 0"),
        (b"{\"a\":x}\n{\"b\":\"\xff\"}", "record 0: expected a JSON value at byte 5, found 'x'"),
    ] {
        assert_eq!(refusal(Format::Ndjson, body), words);
    }
}

/// A request around the bytes of its second record.
fn around(record: &[u8]) -> Vec<u8> {
    let mut body = [&[18, 0, 18, record.len() as u8], record].concat();
    for key in [18, 10] {
        body = [&[key, body.len() as u8], &body[..]].concat();
    }
    body
}

#[test]
fn of_protobuf_records() {
    let cases: [(&[u8], &str); 14] = [
        (&[8, 1], "field 1 of LogRecord has protobuf wire type 0, expected 1"),
        (&[42, 2, 8, 1], "field 1 of AnyValue has protobuf wire type 0, expected 2"),
        (&[50, 2, 21, 1], "field 2 of KeyValue has protobuf wire type 5, expected 2"),
        (&[26, 2, b'a'], "a protobuf field is longer than the message around it"),
        (&[26], "a protobuf field is longer than the message around it"),
        (
            &[26, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "a protobuf field is longer than the message around it",
        ),
        (&[9, 1, 2, 3], "a protobuf field is longer than the message around it"),
        (&[16, 128], "a protobuf field is longer than the message around it"),
        (&[16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2], "a protobuf varint has more than 64 bits"),
        (
            &[16, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0],
            "a protobuf varint has more than 64 bits",
        ),
        (&[26, 1, 255], "a protobuf text field is not UTF-8"),
        (&[107, 108], "field 13 is a protobuf group, which OTLP does not use"),
        (&[2, 0], "2 is not a protobuf field key"),
        (&[110, 0], "110 is not a protobuf field key"),
    ];
    for (record, words) in cases {
        let body = around(record);
        assert_eq!(refusal(Format::OtlpProtobuf, &body), format!("record 1: {words}"), "{record:?}");
    }
    assert_eq!(
        refusal(Format::OtlpProtobuf, &[10, 1, 8]),
        "field 1 of ResourceLogs has protobuf wire type 0, expected 2"
    );
}

#[test]
fn of_batches_that_hold_too_much() {
    for (limit, record, words) in [
        ("records", None, "at most 7 records are accepted, found 9"),
        ("resource_groups", None, "at most 7 resource groups are accepted, found 9"),
        ("attributes", Some(4), "record 4: at most 7 attributes are accepted, found 9"),
        ("record_bytes", Some(0), "record 0: at most 7 record bytes are accepted, found 9"),
    ] {
        assert_eq!(Rejection::LimitExceeded { limit, allowed: 7, found: 9, record }.to_string(), words);
    }
}
