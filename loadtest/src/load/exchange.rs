//! The part of HTTP/1.1 that a sender of logs needs, over one connection: a request is written as given, and
//! only the needed parts of the answer are read. A client library would cost more than the rest of a sender.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::ExchangeError;

/// Largest head of an answer that is read.
const MOST_HEAD_BYTES: usize = 64 * 1024;
/// Bodies up to this size go into the same write as the head: one packet instead of two.
const JOINED_BYTES: usize = 64 * 1024;

/// The parts of an answer that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// `Retry-After`, if it is a whole number of seconds.
    pub retry_after: Option<u64>,
    closes: bool,
    body_bytes: usize,
}

impl Reply {
    /// Parses a head, without the empty line after it.
    pub fn read(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
        let mut reply = Self { status, retry_after: None, closes: false, body_bytes: 0 };
        let mut has_length = status == 204;
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                (reply.body_bytes, has_length) = (value.parse().ok()?, true);
            } else if name.eq_ignore_ascii_case("retry-after") {
                reply.retry_after = value.parse().ok();
            } else if name.eq_ignore_ascii_case("connection") {
                reply.closes = value.eq_ignore_ascii_case("close");
            }
        }
        has_length.then_some(reply)
    }
}

/// A connection that is opened on demand and reused until it fails.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    patience: Duration,
    stream: Option<TcpStream>,
    read: Vec<u8>,
}

impl Connection {
    pub fn new(address: SocketAddr, patience: Duration) -> Self {
        Self { address, patience, stream: None, read: Vec::new() }
    }

    /// Sends a request and reads the answer. `head` is used as a buffer for a small body too.
    pub async fn exchange(&mut self, head: &mut Vec<u8>, body: &[u8]) -> Result<Reply, ExchangeError> {
        let patience = self.patience;
        let exchanged = tokio::time::timeout(patience, self.exchange_patiently(head, body)).await;
        let reply = exchanged.unwrap_or(Err(ExchangeError::Silent(patience)));
        if !reply.as_ref().is_ok_and(|reply| !reply.closes) {
            self.stream = None;
        }
        reply
    }

    async fn exchange_patiently(&mut self, head: &mut Vec<u8>, body: &[u8]) -> Result<Reply, ExchangeError> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(self.address).await?,
        };
        self.read.clear();
        let written = write(&mut stream, head, body).await;
        let answered = self.answer(&mut stream).await;
        // A refusal may arrive while the body is still being written; it takes precedence over the write error.
        let reply = match (written, answered) {
            (_, Ok(reply)) => reply,
            (Err(error), Err(_)) => return Err(error.into()),
            (Ok(()), Err(failure)) => return Err(failure),
        };
        self.stream = Some(stream);
        Ok(reply)
    }

    async fn answer(&mut self, stream: &mut TcpStream) -> Result<Reply, ExchangeError> {
        let end = loop {
            if let Some(at) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at;
            }
            if self.read.len() > MOST_HEAD_BYTES {
                return Err(self.nonsense());
            }
            self.more(stream).await?;
        };
        let head = String::from_utf8_lossy(self.read.get(..end).unwrap_or_default());
        let Some(reply) = Reply::read(&head) else { return Err(self.nonsense()) };
        let mut left = (end + 4).saturating_add(reply.body_bytes).saturating_sub(self.read.len());
        while left > 0 {
            self.read.clear();
            self.more(stream).await?;
            left = left.saturating_sub(self.read.len());
        }
        Ok(reply)
    }

    async fn more(&mut self, stream: &mut TcpStream) -> Result<(), ExchangeError> {
        if stream.read_buf(&mut self.read).await? == 0 {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        Ok(())
    }

    fn nonsense(&self) -> ExchangeError {
        let found: String = String::from_utf8_lossy(&self.read).chars().take(100).collect();
        ExchangeError::Broken(format!("expected an answer in HTTP/1.1 with a length, found {found:?}"))
    }
}

async fn connect(address: SocketAddr) -> Result<TcpStream, ExchangeError> {
    let stream = TcpStream::connect(address).await.map_err(ExchangeError::Unreachable)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn write(stream: &mut TcpStream, head: &mut Vec<u8>, body: &[u8]) -> std::io::Result<()> {
    if body.len() <= JOINED_BYTES {
        head.extend_from_slice(body);
        return stream.write_all(head).await;
    }
    stream.write_all(head).await?;
    stream.write_all(body).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_far_as_it_matters() {
        let head =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 4\r\ncontent-length: 12\r\nconnection: close";
        let expected = Reply { status: 503, retry_after: Some(4), closes: true, body_bytes: 12 };
        assert_eq!(Reply::read(head), Some(expected));
        assert_eq!(Reply::read("HTTP/1.1 204 No Content").map(|reply| reply.status), Some(204));
        for other in ["HTTP/1.1 200 OK", "HTTP/1.0 200 OK\r\ncontent-length: 0", "", "HTTP/1.1 2"] {
            assert_eq!(Reply::read(other), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_kept_connection_serves_again_and_a_closed_one_is_opened_anew() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = Connection::new(listener.local_addr().unwrap(), Duration::from_secs(20));
        let answers: [&[u8]; 3] = [
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
            b"HTTP/1.1 503 No\r\nretry-after: 2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        ];
        let serving = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 8];
            stream.read_exact(&mut seen).await.unwrap();
            stream.write_all(answers[0]).await.unwrap();
            stream.read_exact(&mut seen).await.unwrap();
            stream.write_all(answers[1]).await.unwrap();
            drop(stream);
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut seen).await.unwrap();
            stream.write_all(answers[2]).await.unwrap();
            seen
        };
        let sending = async {
            let mut statuses = Vec::new();
            for _ in 0..3 {
                let reply = connection.exchange(&mut b"head".to_vec(), b"body").await.unwrap();
                statuses.push((reply.status, reply.retry_after));
            }
            statuses
        };
        let (seen, statuses) = tokio::join!(serving, sending);
        assert_eq!(seen, b"headbody");
        assert_eq!(statuses, [(200, None), (503, Some(2)), (200, None)]);
    }
}
