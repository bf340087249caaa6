//! Sequential HTTP exchanges with the process under test, over a connection that is reused until it
//! fails. The caller interprets the answers.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpStream;

/// Longest time of an answer. A killed server closes its connections, so this is reached only by one
/// that runs and does not answer.
const ANSWER_BOUND: Duration = Duration::from_secs(30);
/// Largest answer that is read: a hundred times the size of a page of incidents.
const MOST_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Most characters of an unexpected answer that are repeated.
const EXCERPT: usize = 200;

/// Reason why there is no answer.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The request certainly never reached the server.
    #[error("nobody listens: {0}")]
    Unreachable(std::io::Error),
    /// The connection broke; it is unknown whether the server accepted the request.
    #[error("the connection failed: {0}")]
    Broken(String),
    /// The server kept the connection and did not answer.
    #[error("no answer within {} s", .0.as_secs())]
    Silent(Duration),
}

impl From<std::io::Error> for ExchangeError {
    fn from(error: std::io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Answer of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// `Retry-After`, if it is a whole number of seconds.
    pub retry_after: Option<u64>,
    /// The whole body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The beginning of the body as text.
    pub fn excerpt(&self) -> String {
        self.text().chars().take(EXCERPT).collect()
    }

    /// Whether the server refused because it cannot accept the request now.
    pub fn is_polite_refusal(&self) -> bool {
        self.status == 503 && self.retry_after.is_some()
    }
}

/// Headers and body of a request.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// `Content-Type`.
    pub media_type: &'static str,
    /// Whether the body is a gzip member.
    pub gzip: bool,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// The body.
    pub body: Bytes,
}

impl Content {
    /// A plain body of a media type.
    pub fn new(media_type: &'static str, body: Bytes) -> Self {
        Self { media_type, body, ..Self::default() }
    }

    /// A JSON document.
    pub fn json(document: &Value) -> Self {
        Self::new("application/json", Bytes::from(document.to_string()))
    }
}

/// Client of one server with one key.
pub struct Client {
    address: SocketAddr,
    authorization: String,
    patience: Duration,
    connection: Option<Connection>,
}

type Driver = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

struct Connection {
    requests: SendRequest<Full<Bytes>>,
    driver: Driver,
}

impl Client {
    /// Without a connection yet.
    pub fn new(address: SocketAddr, api_key: &str) -> Self {
        Self { address, authorization: format!("Bearer {api_key}"), patience: ANSWER_BOUND, connection: None }
    }

    /// Sets the longest time of an answer from now on.
    pub fn be_patient_for(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Sends a GET request.
    pub async fn get(&mut self, path: &str) -> Result<Answer, ExchangeError> {
        self.exchange(Method::GET, path, Content::default()).await
    }

    /// Sends a request and reads the answer. After an error the next request opens a new connection.
    pub async fn exchange(
        &mut self,
        method: Method,
        path: &str,
        content: Content,
    ) -> Result<Answer, ExchangeError> {
        let request = self.request(method, path, content)?;
        let kept = self.connection.take();
        let exchanged = tokio::time::timeout(self.patience, over(kept, self.address, request)).await;
        let (answer, connection) = exchanged.map_err(|_| ExchangeError::Silent(self.patience))??;
        self.connection = connection;
        Ok(answer)
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        content: Content,
    ) -> Result<Request<Full<Bytes>>, ExchangeError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.address.to_string())
            .header(header::AUTHORIZATION, &self.authorization);
        if !content.media_type.is_empty() {
            request = request.header(header::CONTENT_TYPE, content.media_type);
        }
        if content.gzip {
            request = request.header(header::CONTENT_ENCODING, "gzip");
        }
        if let Some(key) = content.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        request.body(Full::new(content.body)).map_err(|error| ExchangeError::Broken(error.to_string()))
    }
}

/// One exchange over a connection, a new one if none is given; returns the connection if it is reusable.
async fn over(
    kept: Option<Connection>,
    address: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Result<(Answer, Option<Connection>), ExchangeError> {
    let mut connection = match kept {
        Some(connection) => connection,
        None => connect(address).await?,
    };
    let answering = answer(&mut connection.requests, request);
    let answer = tokio::select! {
        biased;
        answer = answering => answer?,
        ended = &mut connection.driver => return Err(ExchangeError::Broken(told(ended))),
    };
    let holds = !connection.requests.is_closed();
    Ok((answer, holds.then_some(connection)))
}

async fn connect(address: SocketAddr) -> Result<Connection, ExchangeError> {
    let stream = TcpStream::connect(address).await.map_err(ExchangeError::Unreachable)?;
    let (requests, driver) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    Ok(Connection { requests, driver: Box::pin(driver) })
}

async fn answer(
    requests: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> Result<Answer, ExchangeError> {
    // A connection becomes reusable shortly after its answer.
    requests.ready().await.map_err(broken)?;
    let (head, body) = requests.send_request(request).await.map_err(broken)?.into_parts();
    let body = Limited::new(body, MOST_ANSWER_BYTES).collect().await;
    let body = body.map_err(|error| ExchangeError::Broken(error.to_string()))?.to_bytes();
    let retry_after =
        head.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Ok(Answer { status: head.status.as_u16(), retry_after, body })
}

fn broken(error: hyper::Error) -> ExchangeError {
    ExchangeError::Broken(error.to_string())
}

fn told(ended: hyper::Result<()>) -> String {
    ended.map_or_else(|error| error.to_string(), |()| "the server closed it".to_owned())
}
