//! Bodies that are bombs, too deep, too many, or mislabelled. Each function sends one kind and returns
//! the observations.

use crate::abuse::attack_target::{AttackTarget, NDJSON};
use crate::abuse::gzip::{bomb, lying};
use crate::abuse::seen::Seen;
use loadtest::forms::compress;

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/x-protobuf";
/// A little below the size limit of ingestion.
const ALMOST_ALL: usize = 4_000_000;
/// Deepest allowed arrays in a record: the record itself is the first of 64 levels.
const LEGAL_ARRAYS: usize = 63;

/// Number of repetitions of each.
fn times(target: &AttackTarget) -> usize {
    target.many(32, 2)
}

async fn gzipped(target: AttackTarget, body: Vec<u8>) -> Seen {
    target.send_times(times(&target), target.post(NDJSON, "gzip", &body)).await
}

async fn plain(target: AttackTarget, media_type: &str, body: &[u8]) -> Seen {
    target.send_times(times(&target), target.post(media_type, "", body)).await
}

/// A gibibyte in one member of a megabyte.
pub(crate) async fn gzip_bomb(target: AttackTarget) -> Seen {
    gzipped(target, bomb(1024, None)).await
}

/// 32 MiB in a member that is small enough to be processed at once.
pub(crate) async fn small_gzip_bomb(target: AttackTarget) -> Seen {
    gzipped(target, bomb(32, None)).await
}

/// A bomb in a bomb, declared as one.
pub(crate) async fn nested_gzip(target: AttackTarget) -> Seen {
    gzipped(target, compress(&bomb(1024, None))).await
}

/// A bomb in a bomb, declared as two.
pub(crate) async fn gzip_twice(target: AttackTarget) -> Seen {
    let request = target.post(NDJSON, "gzip, gzip", &compress(&bomb(64, None)));
    target.send_times(times(&target), request).await
}

/// 256 members of a mebibyte.
pub(crate) async fn gzip_of_members(target: AttackTarget) -> Seen {
    gzipped(target, bomb(1, None).repeat(256)).await
}

/// As many empty members as fit.
pub(crate) async fn gzip_of_nothing(target: AttackTarget) -> Seen {
    let empty = compress(b"");
    let count = target.many(ALMOST_ALL, ALMOST_ALL / 10) / empty.len();
    gzipped(target, empty.repeat(count)).await
}

/// Members with a wrong size in their trailer, far too large and far too small.
pub(crate) async fn lying_gzip(target: AttackTarget) -> Seen {
    let line = b"{\"message\":\"hello\"}\n";
    let mut seen = gzipped(target.clone(), lying(line, u32::MAX)).await;
    seen.add_all(gzipped(target, lying(line, 1)).await);
    seen
}

/// A bomb with a declared size of one byte.
pub(crate) async fn lying_gzip_bomb(target: AttackTarget) -> Seen {
    gzipped(target, bomb(1024, Some(1))).await
}

/// One text of three megabytes.
pub(crate) async fn giant_value(target: AttackTarget) -> Seen {
    let body = format!("{{\"message\":\"{}\"}}\n", "x".repeat(3_000_000));
    plain(target, NDJSON, body.as_bytes()).await
}

/// Arrays in arrays, as many as fit.
pub(crate) async fn deep_arrays(target: AttackTarget) -> Seen {
    let body = format!("{{\"message\":{}", "[".repeat(target.many(ALMOST_ALL, 100_000)));
    plain(target, NDJSON, body.as_bytes()).await
}

/// Objects in objects, closed again.
pub(crate) async fn deep_objects(target: AttackTarget) -> Seen {
    let depth = target.many(100_000, 10_000);
    let body = format!("[{}1{}]", "{\"a\":".repeat(depth), "}".repeat(depth));
    plain(target, JSON, body.as_bytes()).await
}

/// Lists in lists in OTLP, in JSON.
pub(crate) async fn deep_otlp_json(target: AttackTarget) -> Seen {
    let depth = target.many(40_000, 4_000);
    let body = format!(
        "{{\"resourceLogs\":[{{\"scopeLogs\":[{{\"logRecords\":[{{\"body\":{}{{}}{}}}]}}]}}]}}",
        "{\"arrayValue\":{\"values\":[".repeat(depth),
        "]}}".repeat(depth)
    );
    plain(target, JSON, body.as_bytes()).await
}

/// Lists in lists in OTLP, in protobuf.
pub(crate) async fn deep_protobuf(target: AttackTarget) -> Seen {
    let mut value = vec![0x0a, 1, b'x'];
    for _ in 0..target.many(20_000, 4_000) {
        // AnyValue.array_value (5) of ArrayValue.values (1).
        value = field(5, &field(1, &value));
    }
    let body = export(&field(5, &value));
    plain(target, PROTOBUF, &body).await
}

/// Texts that are not UTF-8.
pub(crate) async fn invalid_utf8(target: AttackTarget) -> Seen {
    let mut seen = plain(target.clone(), NDJSON, b"{\"message\":\"\xff\xfe \xc0\x80\"}\n").await;
    let body = export(&field(5, &field(1, b"\xed\xa0\x80")));
    seen.add_all(plain(target.clone(), PROTOBUF, &body).await);
    for text in [b"\xff".as_slice(), b"\xc0\x80", b"\xed\xa0\x80", b"\xf0\x9f"] {
        let (begin, end) =
            (br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":""#, br#""}}]}]}]}"#);
        let body = [begin, text, end].concat();
        seen.add_all(plain(target.clone(), JSON, &body).await);
    }
    seen
}

/// Truncated and endless numbers.
pub(crate) async fn bad_varints(target: AttackTarget) -> Seen {
    let bodies = [
        vec![0x0a],
        vec![0x0a, 0x80],
        [vec![0x0a], vec![0xff; 11], vec![1]].concat(),
        [vec![0x0a], vec![0xff; 1_000_000]].concat(),
        // A length beyond the end, and the maximum.
        vec![0x0a, 0x7f, 0],
        vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        // A field without a number.
        vec![0x02, 0],
    ];
    target.send_each(bodies.map(|body| target.post(PROTOBUF, "", &body))).await
}

/// More records than are allowed, of two bytes each.
pub(crate) async fn many_records(target: AttackTarget) -> Seen {
    let body = format!("[{}{{}}]", "{},".repeat(ALMOST_ALL / 3));
    plain(target, JSON, body.as_bytes()).await
}

/// A record of many members, all different: it is within every limit.
pub(crate) async fn many_members(target: AttackTarget) -> Seen {
    let members: Vec<String> = (0..60_000).map(|number| format!("\"k{number}\":{number}")).collect();
    let mut seen = plain(target, NDJSON, format!("{{{}}}\n", members.join(",")).as_bytes()).await;
    seen.records = seen.outcomes.get("200").copied().unwrap_or_default();
    seen
}

/// Records of nested arrays, of the maximum depth and number.
pub(crate) async fn legal_arrays(target: AttackTarget) -> Seen {
    let count = target.many(10_000, 1_000);
    let record = format!("{{\"message\":{}{}}}\n", "[".repeat(LEGAL_ARRAYS), "]".repeat(LEGAL_ARRAYS));
    let mut seen = plain(target, NDJSON, record.repeat(count).as_bytes()).await;
    seen.records = seen.outcomes.get("200").copied().unwrap_or_default() * count as u64;
    seen
}

/// A valid body in chunks of one byte.
pub(crate) async fn small_chunks(target: AttackTarget) -> Seen {
    let record = format!("{{\"message\":\"{}\"}}\n", "x".repeat(8_000));
    // A debug build needs a tenth of a second for each, and must exceed the minimum rate.
    let count = target.many(50, 1);
    let body = record.repeat(count);
    let chunks = body.bytes().flat_map(|byte| [b'1', b'\r', b'\n', byte, b'\r', b'\n']);
    let head = target.ndjson("transfer-encoding: chunked\r\n\r\n");
    let bytes: Vec<u8> = head.bytes().chain(chunks).chain(*b"0\r\n\r\n").collect();
    let mut seen = target.send_times(times(&target), bytes).await;
    seen.records = seen.outcomes.get("200").copied().unwrap_or_default() * count as u64;
    seen
}

/// A length-delimited field.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length > 0x7f {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(content);
    bytes
}

/// An export of one record with these fields.
fn export(record: &[u8]) -> Vec<u8> {
    // ExportLogsServiceRequest.resource_logs, ResourceLogs.scope_logs, ScopeLogs.log_records.
    field(1, &field(2, &field(2, record)))
}

#[cfg(test)]
mod tests {
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use prost::Message;

    use super::*;

    #[test]
    fn what_is_made_by_hand_is_an_export() {
        let body = export(&field(5, &field(5, &field(1, &field(1, b"hello")))));
        let export = ExportLogsServiceRequest::decode(body.as_slice()).unwrap();
        let record = &export.resource_logs[0].scope_logs[0].log_records[0];
        assert!(format!("{record:?}").contains("ArrayValue"), "{record:?}");
    }
}
