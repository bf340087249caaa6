//! The certificate of a server, with a request and without one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use outbound::{
    Budget, Certificate, ConnectError, Handshake, HostPattern, Hosts, Outbound, Policy, PolicyError,
    SendError, TrustError,
};
use rcgen::{CertificateParams, date_time_ymd};
use tokio::net::TcpListener;

use crate::server::{Authority, NAME, Server, get, named, ok, requester, resolving, send, way_out};

async fn shake(outbound: &Outbound, url: &str, policy: &Policy) -> Result<Handshake, SendError> {
    outbound.handshake(requester(), &outbound.destination(url).unwrap(), policy, None).await
}

/// A certificate that is valid from year to year.
fn valid(from: i32, until: i32) -> CertificateParams {
    let mut params = named(&[NAME, "*.Receiver.example", "192.0.2.1", "2001:db8::1"]);
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(until, 1, 1));
    params
}

#[tokio::test]
async fn a_reply_comes_with_the_certificates_of_its_server() {
    let authority = Authority::new();
    let server = Server::secure(authority.acceptor(&valid(2020, 2100)), ok("")).await;
    let reply = send(&authority.trusted(), &server.url_of(NAME, "/"), get(Policy::default())).await.unwrap();
    let certificates = reply.certificates.unwrap();
    assert_eq!(certificates.der().count(), 2);
    let first = certificates.first().unwrap();
    assert_eq!(first.names, [NAME, "*.receiver.example"]);
    assert_eq!(
        first.addresses,
        ["192.0.2.1".parse::<std::net::IpAddr>().unwrap(), "2001:db8::1".parse().unwrap()]
    );
    assert_eq!((first.not_before, first.not_after), (1_577_836_800, 4_102_444_800));
    assert_eq!((first.key_algorithm.as_str(), first.key_bits), ("1.2.840.10045.2.1", 256));
    let authority = Certificate::read(certificates.der().last().unwrap()).unwrap();
    assert_eq!((&first.issuer, &authority.subject), (&authority.issuer, &authority.issuer));
    assert!(Certificate::read(b"not a certificate").is_err());

    let plain = Server::answering(ok("")).await;
    let reply = send(&way_out(), &plain.url("/"), get(Policy::default())).await.unwrap();
    assert_eq!(reply.certificates, None);
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_whose_certificate_is_not_trusted_but_a_handshake_tells_why() {
    let authority = Authority::new();
    for (params, trust) in [
        (valid(2020, 2100), Ok(())),
        (valid(2020, 2021), Err(TrustError::Expired)),
        (valid(2099, 2100), Err(TrustError::NotYetValid)),
        (named(&["other.example"]), Err(TrustError::OtherName)),
    ] {
        let server = Server::secure(authority.acceptor(&params), ok("")).await;
        let (outbound, url) = (authority.trusted(), server.url_of(NAME, "/"));
        let handshake = shake(&outbound, &url, &Policy::default()).await.unwrap();
        assert_eq!((handshake.trust, handshake.version), (trust.clone(), "TLS 1.3"));
        assert!(!handshake.certificates.first().unwrap().names.is_empty());
        assert_eq!(server.heard().len(), 0, "a handshake sends no request");
        assert_eq!(send(&outbound, &url, get(Policy::default())).await.is_ok(), trust.is_ok());
        assert_eq!(server.heard().len(), usize::from(trust.is_ok()));
    }
    let server = Server::secure(authority.acceptor(&valid(2020, 2100)), ok("")).await;
    let handshake = shake(&way_out(), &server.url_of(NAME, "/"), &Policy::default()).await.unwrap();
    assert_eq!(handshake.trust, Err(TrustError::UnknownIssuer));
    let error = send(&way_out(), &server.url_of(NAME, "/"), get(Policy::default())).await.unwrap_err();
    assert!(matches!(error, SendError::Connect(ConnectError::Failed { .. })), "{error:?}");
}

#[tokio::test]
async fn a_handshake_is_judged_as_a_request_is() {
    let authority = Authority::new();
    let server = Server::secure(authority.acceptor(&valid(2020, 2100)), ok("")).await;
    let url = server.url_of(NAME, "/");
    for home in ["10.0.0.1", "::1", "169.254.169.254"] {
        let error = shake(&resolving(&[home]), &url, &Policy::default()).await.unwrap_err();
        assert!(matches!(error, SendError::Connect(ConnectError::Blocked { .. })), "{home}: {error:?}");
    }
    let hosts = Hosts::Only([HostPattern::Exact("other.example".to_owned())].into());
    let policy = Policy { hosts, ..Policy::default() };
    let error = shake(&way_out(), &url, &policy).await.unwrap_err();
    assert!(matches!(error, SendError::Policy(PolicyError::Host { .. })), "{error:?}");
    let plain = shake(&way_out(), "http://127.0.0.1:8080/", &Policy::default()).await.unwrap_err();
    assert!(matches!(plain, SendError::Policy(PolicyError::Scheme)), "{plain:?}");
    let budget = Budget::new(1, 0);
    let policy = Policy { budget: Some(Arc::clone(&budget)), ..Policy::default() };
    shake(&way_out(), &url, &policy).await.unwrap();
    let error = shake(&way_out(), &url, &policy).await.unwrap_err();
    assert!(matches!(error, SendError::Budget(_)), "{error:?}");
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_handshake_ends_in_time_and_with_servers_that_speak_no_tls() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", silent.local_addr().unwrap());
    let outbound = way_out();
    let destination = outbound.destination(&url).unwrap();
    let within = Some(Duration::from_millis(100));
    let error = outbound.handshake(requester(), &destination, &Policy::default(), within).await.unwrap_err();
    assert!(matches!(error, SendError::TimedOut { .. }), "{error:?}");
    let plain = Server::answering(ok("")).await;
    let url = format!("https://{}/", plain.address);
    let error = shake(&outbound, &url, &Policy::default()).await.unwrap_err();
    assert!(matches!(error, SendError::Connect(ConnectError::Failed { .. })), "{error:?}");
}
