//! Slow senders, silent ones, and ones that never read: they hold connections, and must not hold them for ever.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::abuse::attack_target::{AttackTarget, REFUSED, statuses};
use crate::abuse::seen::{Seen, crowd};

/// Pause between two bytes of a slow sender.
const DRIBBLE: Duration = Duration::from_millis(200);
/// Longer than any server may tolerate a slow sender: twice its idle time by default would be longer still,
/// but no slow sender here has had an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Connections that are opened at a time: no more than fit in the system's accept queue.
const OPENED_AT_A_TIME: usize = 100;
/// Idle connections of a full run: by default the server's maximum.
const WHOLE_IDLE: usize = 10_000;
/// Bytes of the largest bodies and heads: a little below the limits.
const ALMOST_A_BODY: usize = 4_000_000;
const ALMOST_A_HEAD: usize = 30_000;
/// Large slow bodies, five times as many as one organization may have waiting by default, and the time
/// between their starts: so that a server that waits for each to its limit has room for seven.
const LARGE_BODIES: usize = 30;
const ONE_MORE: Duration = Duration::from_millis(100);

/// Bodies sent one byte at a time.
pub(crate) async fn slow_bodies(target: AttackTarget) -> Seen {
    dribble_times(&target, target.ndjson("content-length: 100000\r\n\r\n")).await
}

/// Bodies sent one byte at a time with the largest allowed length, one after the other and far more at a time
/// than may wait. Each is requested (`100`), because those before it gave up their unused places;
/// only then is it too slow. Otherwise all but the first would be refused by their heads.
pub(crate) async fn slow_large_bodies(target: AttackTarget) -> Seen {
    let rest = format!("expect: 100-continue\r\ncontent-length: {ALMOST_A_BODY}\r\n\r\n");
    let head = target.ndjson(&rest);
    let begun = Instant::now();
    crowd(LARGE_BODIES, LARGE_BODIES, move |number| {
        let (target, head) = (target.clone(), head.clone());
        let at = begun + ONE_MORE * u32::try_from(number).unwrap_or(u32::MAX);
        async move {
            tokio::time::sleep_until(at).await;
            match target.connect().await {
                Ok(stream) => dribble(stream, head).await,
                Err(_) => REFUSED.to_owned(),
            }
        }
    })
    .await
}

/// Heads of the maximum length without their end.
pub(crate) async fn half_heads(target: AttackTarget) -> Seen {
    let head: Arc<str> = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(ALMOST_A_HEAD)).into();
    let times = target.many(2_000, 200);
    let attack = move |mut stream: TcpStream| {
        let head = Arc::clone(&head);
        async move {
            if stream.write_all(head.as_bytes()).await.is_err() {
                return "closed".to_owned();
            }
            let mut answer = Vec::new();
            let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
            if read.is_ok() { statuses(&answer) } else { "kept".to_owned() }
        }
    };
    target.on_connections(times, times, attack).await
}

/// Heads sent one byte at a time.
pub(crate) async fn slow_heads(target: AttackTarget) -> Seen {
    dribble_times(&target, "POST / HTTP/1.1\r\nx: ".to_owned()).await
}

/// Concurrent slow senders, which all begin with the same bytes.
async fn dribble_times(target: &AttackTarget, begin: String) -> Seen {
    let times = target.many(200, 20);
    target.on_connections(times, times, move |stream| dribble(stream, begin.clone())).await
}

/// One of them.
async fn dribble(mut stream: TcpStream, begin: String) -> String {
    if stream.write_all(begin.as_bytes()).await.is_err() {
        return "closed".to_owned();
    }
    tokio::time::timeout(PATIENCE, dribble_on(stream)).await.unwrap_or_else(|_| "kept".to_owned())
}

/// A byte at a time, until the server ends the connection.
async fn dribble_on(stream: TcpStream) -> String {
    let (mut reading, mut writing) = stream.into_split();
    let writing = async {
        while writing.write_all(b"x").await.is_ok() {
            tokio::time::sleep(DRIBBLE).await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    let reading = async {
        // An error is an end as well.
        let _ = reading.read_to_end(&mut answer).await;
    };
    tokio::select! {
        () = reading => {}
        () = writing => {}
    }
    statuses(&answer)
}

/// Silent connections.
pub(crate) async fn silence(target: AttackTarget) -> Seen {
    let times = target.many(200, 20);
    let attack = |mut stream: TcpStream| async move {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut [0])).await;
        if matches!(read, Ok(Ok(0) | Err(_))) { "closed" } else { "kept" }.to_owned()
    };
    target.on_connections(times, times, attack).await
}

/// As many idle connections as requested, all at once; then a request from a new client.
pub(crate) async fn idle_connections(target: AttackTarget) -> Seen {
    let mut seen = Seen::default();
    let mut held = Vec::new();
    let wanted = target.idle(WHOLE_IDLE);
    while held.len() < wanted {
        let mut opening = JoinSet::new();
        for _ in 0..OPENED_AT_A_TIME.min(wanted - held.len()) {
            let target = target.clone();
            opening.spawn(async move { target.connect().await });
        }
        let before = held.len();
        while let Some(opened) = opening.join_next().await {
            match opened {
                Ok(Ok(stream)) => held.push(stream),
                Ok(Err(error)) => seen.add(format!("not connected: {}", error.kind())),
                Err(error) => seen.add(error.to_string()),
            }
        }
        if held.len() == before {
            break;
        }
    }
    tokio::time::sleep(target.held()).await;
    seen.add_times("connected", held.len() as u64);
    // If they fill the listener, it waits until the server closes some of them.
    seen.add(format!("newcomer {}", target.newcomer().await));
    seen
}

/// Connections that are silent after an answer: they cost more than fresh ones.
pub(crate) async fn idle_after_an_answer(target: AttackTarget) -> Seen {
    let times = target.many(2_000, 200).min(target.idle_connections);
    let until = Instant::now() + target.held() * 2;
    let attack = move |mut stream: TcpStream| async move {
        let asked = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: palisade\r\n\r\n").await;
        let mut answer = [0; 1024];
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut answer)).await;
        tokio::time::sleep_until(until).await;
        match (asked, read) {
            (Ok(()), Ok(Ok(length))) => statuses(answer.get(..length).unwrap_or_default()),
            _ => "no answer".to_owned(),
        }
    };
    target.on_connections(times, times, attack).await
}

/// Successive requests whose answers are never read.
pub(crate) async fn answers_unread(target: AttackTarget) -> Seen {
    let requests: Arc<str> =
        "GET /api/v1/openapi.json HTTP/1.1\r\nhost: palisade\r\n\r\n".repeat(1_000).into();
    let times = target.many(32, 8);
    let attack = move |mut stream: TcpStream| {
        let requests = Arc::clone(&requests);
        async move {
            // The server stops reading when its answers are not read, and gives up some time later.
            let writing = async { while stream.write_all(requests.as_bytes()).await.is_ok() {} };
            let cut = tokio::time::timeout(PATIENCE, writing).await.is_ok();
            if cut { "cut off" } else { "kept" }.to_owned()
        }
    };
    target.on_connections(times, times, attack).await
}
