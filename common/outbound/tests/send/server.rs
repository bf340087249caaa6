//! Servers of the tests, with and without TLS, certificates of an authority of theirs, and the way out that leads to them.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use common::clock::SystemClock;
use common::ids::OrganizationId;
use http::{HeaderMap, Method};
use outbound::{
    Caps, Coding, Config, Outbound, Policy, Reading, Reply, Request, Requester, Resolve, SendError,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use uuid::Uuid;

/// The name by which tests call their server.
pub(crate) const NAME: &str = "receiver.example";

/// Answers with the next of several addresses, the last one for ever; other names than [`NAME`] with an address of their
/// own.
pub(crate) struct Names {
    addresses: Vec<IpAddr>,
    asked: AtomicUsize,
    other: IpAddr,
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name != NAME {
            return Ok(vec![self.other]);
        }
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(vec![self.addresses[turn.min(self.addresses.len() - 1)]])
    }
}

fn names(addresses: &[&str], other: &str) -> Arc<Names> {
    let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
    Arc::new(Names { addresses, asked: AtomicUsize::new(0), other: other.parse().unwrap() })
}

fn loopback_allowed() -> Config {
    Config { allow_networks: vec!["127.0.0.0/8".parse().unwrap()], ..Config::default() }
}

fn opened(config: &Config, resolver: Arc<Names>) -> Outbound {
    Outbound::new(config, resolver, Arc::new(SystemClock::new())).unwrap()
}

/// A way out for which every name leads to loopback.
pub(crate) fn way_out() -> Outbound {
    opened(&loopback_allowed(), names(&["127.0.0.1"], "127.0.0.1"))
}

/// A way out for which [`NAME`] leads to one address after the other.
pub(crate) fn resolving(addresses: &[&str]) -> Outbound {
    opened(&loopback_allowed(), names(addresses, "127.0.0.1"))
}

/// A way out for which [`NAME`] leads to loopback and every other name elsewhere.
pub(crate) fn others_leading_to(address: &str) -> Outbound {
    opened(&loopback_allowed(), names(&["127.0.0.1"], address))
}

/// An authority, and the way out that trusts it.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("authorities.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    pub(crate) fn trusted(&self) -> Outbound {
        let authorities_file = Some(self.folder.path().join("authorities.pem"));
        let config = Config { authorities_file, ..loopback_allowed() };
        opened(&config, names(&["127.0.0.1"], "127.0.0.1"))
    }

    /// Configuration of a server, which presents a certificate with that of the authority.
    pub(crate) fn acceptor(&self, params: &CertificateParams) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let chain = vec![certificate.der().clone(), self.issuer.der().clone()];
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

pub(crate) fn named(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// Response of a server.
#[derive(Default)]
pub(crate) struct Script {
    /// By the path of a request.
    pub(crate) replies: Vec<(String, Vec<u8>)>,
    /// Follows each reply again and again.
    pub(crate) endless: Option<Vec<u8>>,
    pub(crate) tls: Option<TlsAcceptor>,
}

/// A server that answers by the path of a request, and keeps the heads and bodies that it was sent.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
    heard: Arc<Mutex<Vec<String>>>,
    scheme: &'static str,
}

impl Server {
    /// Closes each connection after its reply.
    pub(crate) async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if script.tls.is_some() { "https" } else { "http" };
        let server = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            heard: Arc::default(),
            scheme,
        };
        let (heard, connections) = (Arc::clone(&server.heard), Arc::clone(&server.connections));
        let script = Arc::new(script);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                let (heard, script) = (Arc::clone(&heard), Arc::clone(&script));
                tokio::spawn(async move {
                    let _: io::Result<()> = match &script.tls {
                        None => answer(stream, &script, &heard).await,
                        Some(acceptor) => match acceptor.accept(stream).await {
                            Ok(stream) => answer(stream, &script, &heard).await,
                            Err(error) => Err(error),
                        },
                    };
                });
            }
        });
        server
    }

    pub(crate) async fn replying(replies: &[(&str, Vec<u8>)]) -> Self {
        let replies = replies.iter().map(|(path, reply)| ((*path).to_owned(), reply.clone())).collect();
        Self::start(Script { replies, ..Script::default() }).await
    }

    pub(crate) async fn answering(reply: impl Into<Vec<u8>>) -> Self {
        Self::replying(&[("/", reply.into())]).await
    }

    pub(crate) async fn endless(reply: &str, endless: impl Into<Vec<u8>>) -> Self {
        let replies = vec![("/".to_owned(), reply.as_bytes().to_vec())];
        Self::start(Script { replies, endless: Some(endless.into()), tls: None }).await
    }

    pub(crate) async fn secure(tls: TlsAcceptor, reply: impl Into<Vec<u8>>) -> Self {
        let replies = vec![("/".to_owned(), reply.into())];
        Self::start(Script { replies, endless: None, tls: Some(tls) }).await
    }

    /// By its address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// By a name.
    pub(crate) fn url_of(&self, name: &str, path: &str) -> String {
        format!("{}://{name}:{}{path}", self.scheme, self.address.port())
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

async fn answer(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &Script,
    heard: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut buffer = vec![0; 65_536];
    let read = stream.read(&mut buffer).await?;
    if read == 0 {
        return Ok(());
    }
    let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    heard.lock().unwrap().push(request);
    let reply = script.replies.iter().find(|(known, _)| *known == path).map(|(_, reply)| reply);
    let Some(reply) = reply else { return Ok(()) };
    stream.write_all(reply).await?;
    while let Some(endless) = &script.endless {
        stream.write_all(endless).await?;
    }
    stream.shutdown().await
}

pub(crate) fn ok(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// A reply with a content coding.
pub(crate) fn coded(coding: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn redirect(status: u16, to: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n").into()
}

pub(crate) fn get(policy: Policy) -> Request {
    let caps = Caps {
        body_bytes: 1_024,
        reading: Reading::Whole,
        coding: Coding::AsSent,
        header_bytes: 4_096,
        deadline: None,
    };
    Request { method: Method::GET, target: None, headers: HeaderMap::new(), body: Bytes::new(), caps, policy }
}

pub(crate) fn following(redirects: u8) -> Policy {
    Policy { redirects, ..Policy::default() }
}

pub(crate) fn requester() -> Requester {
    Requester::background(OrganizationId(Uuid::from_u128(1)))
}

pub(crate) async fn send(outbound: &Outbound, url: &str, request: Request) -> Result<Reply, SendError> {
    outbound.send(requester(), &outbound.destination(url).unwrap(), request).await
}
