//! The same endpoint over the ways senders connect: pipelined, half-closed, expecting a 100, over
//! HTTP/2 and over TLS.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use ingest::IngestConfig;
use process::listen::TlsConfig;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::Answer;
use crate::harness::{Front, otlp};

#[tokio::test]
async fn pipelined_batches_are_answered_in_order_even_after_a_half_close() {
    let front = Front::start().await;
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    let refused = front.post("application/x-ndjson", "nonsense");
    let bytes = [front.post_one().bytes(), refused.bytes(), front.post_one().bytes()].concat();
    stream.write_all(&bytes).await.unwrap();
    stream.shutdown().await.unwrap();
    for expected in [200, 400, 200] {
        assert_eq!(Answer::read(&mut stream, "POST").await.status, expected);
    }
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(front.log.batches().len(), 2);
}

#[tokio::test]
async fn who_expects_a_100_gets_it_or_the_refusal_at_once() {
    let front = Front::start().await;
    let post = front.post_one().header("expect", "100-continue");
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    stream.write_all(post.head().as_bytes()).await.unwrap();
    assert_eq!(Answer::read(&mut stream, "POST").await.status, 100);
    stream.write_all(b"{\"message\":\"one\"}\n").await.unwrap();
    assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);

    let too_large =
        front.post("application/x-ndjson", vec![b'x'; (4 << 20) + 1]).header("expect", "100-continue");
    for (refused, status) in [(post.without("authorization"), 401), (too_large, 413)] {
        let mut stream = TcpStream::connect(front.address).await.unwrap();
        stream.write_all(refused.head().as_bytes()).await.unwrap();
        assert_eq!(Answer::read(&mut stream, "POST").await.status, status);
    }
    assert_eq!(front.log.batches().len(), 1);
}

#[tokio::test]
async fn http2_senders_share_a_connection() {
    let front = Front::start().await;
    let stream = TcpStream::connect(front.address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let url = format!("http://palisade{}", front.path());
    let request = |key: &str, body: Vec<u8>| {
        http::Request::post(&url)
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/x-protobuf")
            .body(Full::new(Bytes::from(body)))
            .unwrap()
    };
    let accepted = sender.send_request(request(&front.key, otlp(2)));
    let large = sender.clone().send_request(request("nobody's", vec![0; 3 << 20])).await.unwrap();
    assert_eq!(large.status(), 401);
    assert!(large.headers().contains_key("www-authenticate"));
    let accepted = accepted.await.unwrap();
    assert_eq!(accepted.status(), 200);
    assert!(accepted.into_body().collect().await.unwrap().to_bytes().is_empty());
    assert_eq!(front.log.batches().len(), 1);
}

#[tokio::test]
async fn batches_come_over_tls() {
    let directory = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["palisade.test".to_owned()]).unwrap();
    let files = TlsConfig {
        certificate_file: directory.path().join("certificate.pem"),
        key_file: directory.path().join("key.pem"),
    };
    std::fs::write(&files.certificate_file, made.cert.pem()).unwrap();
    std::fs::write(&files.key_file, made.signing_key.serialize_pem()).unwrap();
    let front = Front::start_with(IngestConfig::default(), Some(files.clone())).await;

    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&files.certificate_file).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(front.address).await.unwrap();
    let name = ServerName::try_from("palisade.test").unwrap();
    let mut stream = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    stream.write_all(&front.post_one().bytes()).await.unwrap();
    assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
    assert_eq!(front.log.batches().len(), 1);
}
