//! All cases: requests, allowed answers, and the bounds of memory and processor time.

use std::pin::Pin;

use crate::abuse::attack_target::AttackTarget;
use crate::abuse::seen::Seen;
use crate::abuse::{bodies, heads, http2, keys, slow};

/// Function of an attack.
pub(crate) type Attack = fn(AttackTarget) -> Pin<Box<dyn Future<Output = Seen> + Send>>;

/// A case.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// All allowed observations.
    pub(crate) expected: &'static [&'static str],
    /// Largest growth of the server's memory over its earlier minimum, besides the memory that it may
    /// keep. Bodies may take all that is admitted at a time, 256 MiB by default; cases without bodies
    /// need far less.
    pub(crate) mebibytes: u64,
    /// Processor time that an optimized server may use for the whole of it; for a part of it, as much less.
    pub(crate) processor_seconds: f64,
    pub(crate) attack: Attack,
}

/// One case: its name, function, allowed observations, MiB and processor seconds.
macro_rules! case {
    ($name:literal, $attack:path, $expected:expr, $mebibytes:literal MiB, $seconds:literal s) => {
        Case {
            name: $name,
            expected: &$expected,
            mebibytes: $mebibytes,
            processor_seconds: $seconds,
            attack: |target| Box::pin($attack(target)),
        }
    };
}

const DROPPED: [&str; 4] =
    ["GOAWAY FLOW_CONTROL_ERROR", "GOAWAY ENHANCE_YOUR_CALM", "GOAWAY NO_ERROR", "closed"];

/// All cases, in their order. If a fifth of a second is allowed, the same is sent in
/// whole runs and in short ones, and a debug build takes less than half of it.
pub(crate) const CASES: [Case; 56] = [
    case!("gzip: a gibibyte in one member", bodies::gzip_bomb, ["413"], 256 MiB, 4.0 s),
    case!("gzip: 32 MiB in a small member", bodies::small_gzip_bomb, ["413"], 256 MiB, 4.0 s),
    case!("gzip: a bomb in a bomb", bodies::nested_gzip, ["400"], 128 MiB, 4.0 s),
    case!("gzip: encoded twice", bodies::gzip_twice, ["415"], 64 MiB, 2.0 s),
    case!("gzip: 256 members of a mebibyte", bodies::gzip_of_members, ["413"], 256 MiB, 4.0 s),
    case!("gzip: members of nothing", bodies::gzip_of_nothing, ["400"], 128 MiB, 10.0 s),
    case!("gzip: sizes that lie", bodies::lying_gzip, ["400"], 64 MiB, 2.0 s),
    case!("gzip: a bomb that says it is a byte", bodies::lying_gzip_bomb, ["413"], 256 MiB, 4.0 s),
    case!("value: a text of 3 MB", bodies::giant_value, ["413"], 128 MiB, 4.0 s),
    case!("value: arrays in arrays", bodies::deep_arrays, ["400", "413"], 128 MiB, 4.0 s),
    case!("value: objects in objects", bodies::deep_objects, ["400"], 64 MiB, 2.0 s),
    case!("value: OTLP JSON lists in lists", bodies::deep_otlp_json, ["400"], 128 MiB, 2.0 s),
    case!("value: protobuf lists in lists", bodies::deep_protobuf, ["400"], 64 MiB, 2.0 s),
    case!("value: not UTF-8", bodies::invalid_utf8, ["400"], 32 MiB, 2.0 s),
    case!("value: varints cut off and too long", bodies::bad_varints, ["400"], 32 MiB, 0.2 s),
    case!("value: a million records", bodies::many_records, ["413"], 128 MiB, 8.0 s),
    case!("value: 60,000 members", bodies::many_members, ["200"], 256 MiB, 20.0 s),
    case!("value: arrays as deep as they may be", bodies::legal_arrays, ["200"], 256 MiB, 20.0 s),
    case!("body: in chunks of a byte", bodies::small_chunks, ["200"], 128 MiB, 20.0 s),
    case!("head: 10,000 headers", heads::many_headers, ["431"], 64 MiB, 2.0 s),
    case!("head: a header of a mebibyte", heads::giant_header, ["431"], 64 MiB, 2.0 s),
    case!("head: a path of a mebibyte", heads::giant_path, ["414", "431"], 64 MiB, 2.0 s),
    case!("head: headers without end", heads::endless_headers, ["ended"], 64 MiB, 2.0 s),
    case!("head: headers twice", heads::repeated_headers, ["400", "401", "415"], 32 MiB, 0.2 s),
    case!("smuggling: lengths", heads::bad_lengths, ["400"], 32 MiB, 0.2 s),
    case!("smuggling: codings", heads::bad_codings, ["400"], 32 MiB, 0.2 s),
    case!("smuggling: length and coding", heads::length_and_coding, ["400"], 32 MiB, 0.2 s),
    case!("smuggling: chunks", heads::bad_chunks, ["400"], 32 MiB, 0.2 s),
    case!("smuggling: hosts", heads::bad_hosts, ["400"], 32 MiB, 0.2 s),
    case!("smuggling: request lines", heads::bad_request_lines, ["400", "closed"], 32 MiB, 0.2 s),
    case!("slow: bodies", slow::slow_bodies, ["503"], 64 MiB, 4.0 s),
    case!("slow: large bodies", slow::slow_large_bodies, ["100 503"], 64 MiB, 1.0 s),
    case!("slow: heads", slow::slow_heads, ["closed"], 64 MiB, 4.0 s),
    case!("slow: heads without their end", slow::half_heads, ["closed"], 256 MiB, 4.0 s),
    case!("slow: nothing said", slow::silence, ["closed"], 64 MiB, 4.0 s),
    case!("slow: idle connections", slow::idle_connections, ["connected", "newcomer 200"], 256 MiB, 10.0 s),
    case!("slow: idle after an answer", slow::idle_after_an_answer, ["200"], 128 MiB, 4.0 s),
    case!("slow: answers unread", slow::answers_unread, ["cut off"], 128 MiB, 10.0 s),
    case!("http2: rapid reset", http2::rapid_reset, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    case!("http2: streams that go nowhere", http2::open_streams, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    case!("http2: made to reset", http2::made_to_reset, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    case!("http2: windows that grow by nothing", http2::empty_windows, ["GOAWAY PROTOCOL_ERROR"], 64 MiB, 0.2 s),
    // Both are allowed, and must be answered: a thousand of them, then the connection is closed.
    case!("http2: settings", http2::settings, ["closed"], 32 MiB, 0.2 s),
    case!("http2: pings", http2::pings, ["closed"], 32 MiB, 0.2 s),
    case!("http2: windows that grow by a byte", http2::windows, ["closed"], 32 MiB, 0.2 s),
    case!("http2: resets of what is over", http2::late_resets, ["closed"], 32 MiB, 0.2 s),
    // A hundred requests on each of 200 connections, some 8 KiB a request.
    case!("http2: answers unread", http2::answers_unread, ["closed", "GOAWAY NO_ERROR"], 192 MiB, 2.0 s),
    case!("http2: a head without end", http2::continuations, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    case!("http2: header bomb", http2::header_bomb, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    case!("http2: empty pieces of a body", http2::empty_data, ["GOAWAY ENHANCE_YOUR_CALM"], 64 MiB, 0.2 s),
    // The answer precedes the body: the rest is refused, or dropped until the connection is closed.
    case!("http2: beyond the window", http2::beyond_the_window, DROPPED, 64 MiB, 3.0 s),
    case!("http2: broken frames", http2::broken_frames, ["GOAWAY PROTOCOL_ERROR", "GOAWAY FRAME_SIZE_ERROR", "GOAWAY FLOW_CONTROL_ERROR", "GOAWAY COMPRESSION_ERROR"], 32 MiB, 0.2 s),
    case!("keys: wrong ones at speed", keys::wrong_keys, ["401"], 64 MiB, 2.0 s),
    case!("keys: none", keys::no_keys, ["400", "401"], 32 MiB, 0.2 s),
    // Repeated at the end: nothing may have accumulated.
    case!("again: a gibibyte in one member", bodies::gzip_bomb, ["413"], 128 MiB, 4.0 s),
    case!("again: idle connections", slow::idle_connections, ["connected", "newcomer 200"], 128 MiB, 10.0 s),
];
