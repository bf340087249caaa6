//! Context of attacks: the address, a valid key and path, and raw connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::attacker::Attacker;
use super::seen::{Seen, crowd};
use loadtest::api::logs_path;
use loadtest::load::subject::Subject;
use loadtest::locked::Locked;

/// Media type of log objects, one a line.
pub(crate) const NDJSON: &str = "application/x-ndjson";
/// Observation of a connection that is not opened.
pub(crate) const REFUSED: &str = "refused to connect";
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Concurrent attackers.
const AT_A_TIME: usize = 8;
/// Pause before a refused request is repeated, shorter than the requested one.
const BACK_AFTER: Duration = Duration::from_millis(50);
/// Most repetitions: for half a minute.
const MOST_RETURNS: u32 = 600;
/// Most bytes of answers that are read from a connection.
const MOST_READ: usize = 1024 * 1024;
/// Longest wait of a new client while one address holds all connections it can. The server closes silent ones
/// within a second, and needs as many rounds as there are listeners full of them in its
/// queue, which are one or two; the rest is for a busy machine.
const NEWCOMER: Duration = Duration::from_secs(5);
/// Files that this tool itself has open, and some to spare.
const SPARE_FILES: u64 = 200;

/// Context of attacks.
#[derive(Clone, Debug)]
pub(crate) struct AttackTarget {
    pub(crate) address: SocketAddr,
    /// A valid key.
    pub(crate) key: Arc<str>,
    /// Ingestion path of a source.
    pub(crate) path: Arc<str>,
    /// Whether a reduced run is requested.
    pub(crate) short: bool,
    /// Idle connections to open.
    pub(crate) idle_connections: usize,
    attacker: Arc<Attacker>,
    /// Share of a full run's work that a case has requested.
    share: Locked<f64>,
}

impl AttackTarget {
    pub(crate) fn new(subject: &Subject, short: bool, idle: u32, most_files: Option<u64>) -> Self {
        let source = subject.sources.first().map_or("", String::as_str);
        let room = most_files.map_or(u64::MAX, |most| most.saturating_sub(SPARE_FILES));
        Self {
            address: subject.address,
            key: subject.api_key.as_str().into(),
            path: logs_path(source).into(),
            short,
            idle_connections: usize::try_from(room).unwrap_or(usize::MAX).min(idle as usize),
            attacker: Arc::default(),
            share: Locked::new(1.0),
        }
    }

    /// The same for another case, which has requested nothing yet.
    pub(crate) fn anew(&self) -> Self {
        Self { share: Locked::new(1.0), ..self.clone() }
    }

    /// Share of a full run's work that the case has requested, above 0 and up to 1: the smallest share of
    /// any requested number. Work that is reduced in two ways counts for more than it is.
    pub(crate) fn share(&self) -> f64 {
        *self.share.lock()
    }

    /// A number for a full run, or for a reduced one.
    pub(crate) fn many(&self, whole: usize, short: usize) -> usize {
        let asked = if self.short { short } else { whole };
        self.ask(asked as f64 / whole as f64);
        asked
    }

    /// Idle connections to open, of the number in a full run.
    pub(crate) fn idle(&self, whole: usize) -> usize {
        self.ask(self.idle_connections as f64 / whole as f64);
        self.idle_connections
    }

    fn ask(&self, share: f64) {
        let mut least = self.share.lock();
        *least = least.min(share);
    }

    /// Time that idle connections are held.
    pub(crate) fn held(&self) -> Duration {
        if self.short { Duration::from_millis(500) } else { Duration::from_secs(4) }
    }

    /// Duration of a flood that the server neither ends nor stops reading.
    pub(crate) fn flood(&self) -> Duration {
        Duration::from_secs(self.many(5, 2) as u64)
    }

    /// A head of an ingestion request, without a length; headers and the empty line are the caller's.
    pub(crate) fn head(&self) -> String {
        format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n",
            self.path, self.address, self.key
        )
    }

    /// A request with log objects, whose further headers, the empty line and the body are the caller's.
    pub(crate) fn ndjson(&self, rest: &str) -> String {
        format!("{}content-type: {NDJSON}\r\n{rest}", self.head())
    }

    /// A whole request; `encoding` may be empty.
    pub(crate) fn post(&self, media_type: &str, encoding: &str, body: &[u8]) -> Vec<u8> {
        let encoding = if encoding.is_empty() { "" } else { &format!("content-encoding: {encoding}\r\n") };
        let head = format!(
            "{}content-type: {media_type}\r\n{encoding}content-length: {}\r\n\r\n",
            self.head(),
            body.len()
        );
        [head.as_bytes(), body].concat()
    }

    /// Connects.
    pub(crate) async fn connect(&self) -> std::io::Result<TcpStream> {
        self.attacker.connect(self.address).await
    }

    /// The result of a new client, from a separate address: `200`, or `waits`.
    pub(crate) async fn newcomer(&self) -> String {
        let asking = async {
            let mut stream = TcpStream::connect(self.address).await?;
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: palisade\r\nconnection: close\r\n\r\n").await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            std::io::Result::Ok(statuses(&answer))
        };
        match tokio::time::timeout(NEWCOMER, asking).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(error)) => error.kind().to_string(),
            Err(_) => "waits".to_owned(),
        }
    }

    /// Sends each of these on a connection of its own, one after the other.
    pub(crate) async fn send_each<B: AsRef<[u8]>>(&self, requests: impl IntoIterator<Item = B>) -> Seen {
        let mut seen = Seen::default();
        for bytes in requests {
            seen.add(self.send(bytes.as_ref()).await);
        }
        seen
    }

    /// Opens a number of connections, some at a time; counts the observation of the function on each.
    pub(crate) async fn on_connections<F>(
        &self,
        times: usize,
        at_a_time: usize,
        attack: impl Fn(TcpStream) -> F + Clone + Send + 'static,
    ) -> Seen
    where
        F: Future<Output = String> + Send,
    {
        crowd(times, at_a_time, |_| {
            let (target, attack) = (self.clone(), attack.clone());
            async move {
                match target.connect().await {
                    Ok(stream) => attack(stream).await,
                    Err(_) => REFUSED.to_owned(),
                }
            }
        })
        .await
    }

    /// Sends the same bytes a number of times, on a connection each, some at a time. A refused request is repeated,
    /// after a shorter pause: any number of large requests may be refused, but none for ever.
    pub(crate) async fn send_times(&self, times: usize, bytes: Vec<u8>) -> Seen {
        let bytes: Arc<[u8]> = bytes.into();
        let returns = Arc::new(AtomicU64::new(0));
        let mut seen = crowd(times, AT_A_TIME, |_| {
            let (target, bytes, returns) = (self.clone(), Arc::clone(&bytes), Arc::clone(&returns));
            async move { target.send_until_judged(&bytes, &returns).await }
        })
        .await;
        seen.returns = returns.load(Ordering::Relaxed);
        seen
    }

    async fn send_until_judged(&self, bytes: &[u8], returns: &AtomicU64) -> String {
        for _ in 0..MOST_RETURNS {
            let answer = self.exchange(bytes).await;
            if !is_told_to_return(&answer) {
                return told(answer.as_deref());
            }
            returns.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(BACK_AFTER).await;
        }
        "turned away again and again".to_owned()
    }

    /// Sends bytes and nothing else, and reads every answer: `200`, or `200 400` for two of them, `closed`
    /// for none, `silent` when the connection stays open.
    pub(crate) async fn send(&self, bytes: &[u8]) -> String {
        told(self.exchange(bytes).await.as_deref())
    }

    /// All answers to some bytes.
    async fn exchange(&self, bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
        let stream = self.connect().await.map_err(|_| REFUSED)?;
        let (mut reading, mut writing) = stream.into_split();
        let write = async {
            // A server that does not accept all of it may close: then its answer counts.
            let _ = writing.write_all(bytes).await;
            let _ = writing.shutdown().await;
        };
        let read = async {
            let mut answers = Vec::new();
            while answers.len() < MOST_READ {
                match reading.read_buf(&mut answers).await {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
            }
            answers
        };
        let both = tokio::time::timeout(PATIENCE, async { tokio::join!(write, read) });
        match both.await {
            Ok(((), answers)) => Ok(answers),
            Err(_) => Err("silent"),
        }
    }
}

/// Name of a result.
fn told(answer: Result<&[u8], &&'static str>) -> String {
    answer.map_or_else(|what| (*what).to_owned(), statuses)
}

/// Whether the only answer is a 503 with `Retry-After`.
fn is_told_to_return(answer: &Result<Vec<u8>, &'static str>) -> bool {
    let Ok(answer) = answer else { return false };
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    statuses(answer) == "503" && text.contains("\r\nretry-after: ")
}

/// Offset of the status in a status line (RFC 9112 section 4), whichever version of 1 the answer is for.
const STATUS_AT: usize = "HTTP/1.1 ".len();

/// The statuses of the answers on a connection.
pub(crate) fn statuses(answers: &[u8]) -> String {
    let text = String::from_utf8_lossy(answers);
    // Bodies of answers are the product's protobuf or JSON: none contains the text of a status line.
    let statuses: Vec<&str> = text
        .match_indices("HTTP/1.")
        .filter_map(|(at, _)| text.get(at + STATUS_AT..at + STATUS_AT + 3))
        .filter(|status| status.bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    if statuses.is_empty() { "closed".to_owned() } else { statuses.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_on_a_connection_counts() {
        assert_eq!(statuses(b"HTTP/1.1 400 Bad\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n"), "400 200");
        assert_eq!(statuses(b"HTTP/1.0 400 Bad\r\n\r\n"), "400");
        assert_eq!(statuses(b""), "closed");
        assert_eq!(statuses(b"HTTP/1.1 4"), "closed");
    }

    #[test]
    fn a_short_case_asks_for_its_share_of_a_whole_one() {
        let target = AttackTarget {
            address: SocketAddr::from(([127, 0, 0, 1], 1)),
            key: "".into(),
            path: "".into(),
            short: true,
            idle_connections: 500,
            attacker: Arc::default(),
            share: Locked::default(),
        };
        let case = target.anew();
        assert_eq!(case.share(), 1.0, "what is never cut down is sent whole");
        assert_eq!((case.many(32, 2), case.many(32, 2)), (2, 2));
        assert_eq!(case.share(), 1.0 / 16.0, "asking again is asking for the same");
        assert_eq!((case.many(100, 10), case.share()), (10, 1.0 / 16.0), "the smallest counts");
        assert_eq!((case.idle(10_000), case.share()), (500, 0.05));
        assert_eq!(AttackTarget { short: false, ..target }.anew().many(32, 2), 32);
    }

    #[test]
    fn only_a_503_that_says_when_is_a_reason_to_return() {
        let returns = |answer: &str| is_told_to_return(&Ok(answer.as_bytes().to_vec()));
        assert!(returns("HTTP/1.1 503 Busy\r\nRetry-After: 4\r\n\r\n"));
        assert!(!returns("HTTP/1.1 503 Busy\r\n\r\n"));
        assert!(!returns("HTTP/1.1 413 Large\r\nretry-after: 4\r\n\r\n"));
        assert!(!is_told_to_return(&Err("silent")));
    }
}
