//! Connections to a node that is a listener of ours with certificates of ours: which ones are believed. No
//! server needed.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener};
use std::path::PathBuf;
use std::thread::JoinHandle;

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::ssl::{SslAcceptor, SslVerifyMode};
use openssl::symm::Cipher;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509Builder, X509NameBuilder};
use tempfile::TempDir;

use super::*;
use crate::cql::{Config, connect};

/// A certificate and its key.
struct Identity {
    certificate: X509,
    key: PKey<Private>,
}

/// Names in a certificate.
enum Holder {
    Authority,
    Address(&'static str),
    Name(&'static str),
    /// Of 127.0.0.1, until yesterday.
    Expired,
}

/// A certificate for `holder`, signed by `authority` or by itself.
fn issue(holder: &Holder, authority: Option<&Identity>) -> Identity {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
    let mut name = X509NameBuilder::new().unwrap();
    name.append_entry_by_text("CN", if authority.is_none() { "authority" } else { "holder" }).unwrap();
    let name = name.build();
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    builder.set_serial_number(&BigNum::from_u32(1).unwrap().to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&name).unwrap();
    builder.set_issuer_name(authority.map_or(&*name, |it| it.certificate.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::from_unix(0).unwrap()).unwrap();
    let end = match holder {
        // 2001.
        Holder::Expired => Asn1Time::from_unix(1_000_000_000).unwrap(),
        _ => Asn1Time::days_from_now(1).unwrap(),
    };
    builder.set_not_after(&end).unwrap();
    builder.set_pubkey(&key).unwrap();
    let mut names = SubjectAlternativeName::new();
    let names = match holder {
        Holder::Authority => {
            builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
            None
        }
        Holder::Address(address) => Some(names.ip(address)),
        Holder::Name(name) => Some(names.dns(name)),
        Holder::Expired => Some(names.ip("127.0.0.1")),
    };
    if let Some(names) = names {
        let extension = names.build(&builder.x509v3_context(authority.map(|it| &*it.certificate), None));
        builder.append_extension(extension.unwrap()).unwrap();
    }
    builder.sign(authority.map_or(&key, |it| &it.key), MessageDigest::sha256()).unwrap();
    Identity { certificate: builder.build(), key }
}

/// Observations of a node on its only connection: the first bytes after the handshake, and whether a
/// certificate was shown.
#[derive(Debug)]
struct Seen {
    first_bytes: Vec<u8>,
    shown: bool,
}

/// Takes one connection, which ends after its first frame. Nothing was seen when the handshake failed.
fn node(identity: &Identity) -> (String, JoinHandle<Option<Seen>>) {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
    acceptor.set_certificate(&identity.certificate).unwrap();
    acceptor.set_private_key(&identity.key).unwrap();
    acceptor.set_verify_callback(SslVerifyMode::PEER, |_, _| true);
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let mut stream = acceptor.accept(socket).ok()?;
        let mut first_bytes = vec![0; 9];
        stream.read_exact(&mut first_bytes).ok()?;
        Some(Seen { first_bytes, shown: stream.ssl().peer_certificate().is_some() })
    });
    (address, thread)
}

fn write(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Connects to a node that has `identity`.
async fn meet(identity: &Identity, tls: Tls) -> (ConnectError, Option<Seen>) {
    let (address, thread) = node(identity);
    let config = Config { nodes: vec![address], tls: Some(tls), ..Config::default() };
    let refused = connect(&config).await.map(|_| ()).expect_err("the node ends every connection");
    (refused, thread.join().unwrap())
}

#[tokio::test]
async fn a_node_is_believed_that_has_a_certificate_of_its_address() {
    let directory = TempDir::new().unwrap();
    let authority = issue(&Holder::Authority, None);
    let (node, client) = (
        issue(&Holder::Address("127.0.0.1"), Some(&authority)),
        issue(&Holder::Name("us"), Some(&authority)),
    );
    let trusted = Tls {
        authorities: Some(write(&directory, "authority", &authority.certificate.to_pem().unwrap())),
        ..Tls::default()
    };
    let identified = Tls {
        certificate: Some(write(&directory, "client", &client.certificate.to_pem().unwrap())),
        key: Some(write(&directory, "key", &client.key.private_key_to_pem_pkcs8().unwrap())),
        ..trusted.clone()
    };
    for (tls, shown) in [(trusted, false), (identified, true)] {
        let (_, seen) = meet(&node, tls).await;
        let seen = seen.unwrap();
        assert_eq!(seen.first_bytes.get(4), Some(&5), "the driver asks for OPTIONS first: {seen:?}");
        assert_eq!(seen.shown, shown);
    }
}

#[tokio::test]
async fn all_other_certificates_are_refused_before_anything_is_sent() {
    let directory = TempDir::new().unwrap();
    let (authority, stranger) = (issue(&Holder::Authority, None), issue(&Holder::Authority, None));
    let tls = Tls {
        authorities: Some(write(&directory, "authority", &authority.certificate.to_pem().unwrap())),
        ..Tls::default()
    };
    let local = Holder::Address("127.0.0.1");
    let cases = [
        ("a stranger's", issue(&local, Some(&stranger))),
        ("its own", issue(&local, None)),
        ("of another address", issue(&Holder::Address("127.0.0.2"), Some(&authority))),
        ("of a name", issue(&Holder::Name("localhost"), Some(&authority))),
        ("expired", issue(&Holder::Expired, Some(&authority))),
    ];
    for (case, identity) in cases {
        let (refused, seen) = meet(&identity, tls.clone()).await;
        assert!(refused.to_string().contains("certificate verify failed"), "{case}: {refused}");
        assert!(refused.to_string().contains("names the address"), "{case}: {refused}");
        assert!(seen.is_none(), "{case}: {seen:?}");
    }
    // Whatever authorities this system trusts, ours is not among them.
    let node = issue(&local, Some(&authority));
    if system_authorities().is_ok() {
        let (refused, seen) = meet(&node, Tls::default()).await;
        assert!(refused.to_string().contains("certificate verify failed"), "{refused}");
        assert!(seen.is_none(), "{seen:?}");
    }
}

#[tokio::test]
async fn a_node_that_does_not_speak_tls_is_refused_in_words() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        // Response of a CQL node to unknown input: a frame with an error.
        socket.write_all(b"\x84\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x0a\x00\x02no").unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        // The client ends the connection in any case.
        let _ = socket.read_to_end(&mut Vec::new());
    });
    let directory = TempDir::new().unwrap();
    let authority = issue(&Holder::Authority, None).certificate.to_pem().unwrap();
    let tls = Tls { authorities: Some(write(&directory, "authority", &authority)), ..Tls::default() };
    let config = Config { nodes: vec![address], tls: Some(tls), ..Config::default() };
    let refused = connect(&config).await.map(|_| ()).unwrap_err().to_string();
    thread.join().unwrap();
    assert!(refused.contains("the node must speak TLS on this port"), "{refused}");
}

#[test]
fn files_that_are_something_else_are_refused_by_name() {
    let directory = TempDir::new().unwrap();
    let (one, other) = (issue(&Holder::Authority, None), issue(&Holder::Authority, None));
    let certificate = write(&directory, "certificate", &one.certificate.to_pem().unwrap());
    let key = write(&directory, "key", &one.key.private_key_to_pem_pkcs8().unwrap());
    let encrypted =
        one.key.private_key_to_pem_pkcs8_passphrase(Cipher::aes_128_cbc(), b"passphrase").unwrap();
    let encrypted = write(&directory, "encrypted", &encrypted);
    let other_key = write(&directory, "other", &other.key.private_key_to_pem_pkcs8().unwrap());
    let text = write(&directory, "text", b"no certificate");
    let whole =
        Tls { authorities: Some(certificate.clone()), certificate: Some(certificate), key: Some(key) };
    assert!(context(&whole).is_ok());
    let missing = Some(directory.path().join("missing"));
    let cases = [
        (Tls { authorities: missing, ..whole.clone() }, "missing", "certificates in PEM"),
        (Tls { authorities: Some(text.clone()), ..whole.clone() }, "text", "certificates in PEM, found none"),
        (Tls { certificate: Some(text.clone()), ..whole.clone() }, "text", "certificates in PEM, found none"),
        (Tls { key: Some(text), ..whole.clone() }, "text", "a key in PEM"),
        (Tls { key: Some(encrypted), ..whole.clone() }, "encrypted", "not encrypted"),
        (Tls { key: Some(other_key), ..whole }, "other", "the key of `certificate`"),
    ];
    for (tls, file, expected) in cases {
        let refused = context(&tls).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(file) && refused.contains(expected), "{refused}");
    }
}

#[tokio::test]
async fn a_node_that_says_nothing_is_given_up() {
    // The system accepts connections, and no one reads them.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let directory = TempDir::new().unwrap();
    let authority = issue(&Holder::Authority, None).certificate.to_pem().unwrap();
    let tls = Tls { authorities: Some(write(&directory, "authority", &authority)), ..Tls::default() };
    for tls in [None, Some(tls)] {
        let expected = if tls.is_some() { "cql.tls is set" } else { "cql.tls is not set" };
        let config =
            Config { nodes: vec![address.clone()], connect_timeout_ms: 100, tls, ..Config::default() };
        let refused = connect(&config).await.map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("no answer within 100ms") && refused.contains(expected), "{refused}");
    }
}
