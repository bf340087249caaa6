//! Mails that another program (dkimpy) signed, with keys and policies in a name server on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the server of a test ends with its runtime")]

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, LazyLock};

use common::clock::{SharedClock, SystemClock};
use common::ids::OrganizationId;
use context::{
    Assessment, Brands, Config, Engine, Floor, Mail, NoNames, Opened, Origin, OutboundNames, Outcome,
    ThreatType, authenticate, score,
};
use outbound::{Outbound, SystemResolver};
use redact::{Policy, Redactor};
use tokio::net::UdpSocket;
use uuid::Uuid;

const RSA: &[u8] = include_bytes!("mails/rsa.eml");
const ED25519: &[u8] = include_bytes!("mails/ed25519.eml");
const UNALIGNED: &[u8] = include_bytes!("mails/unaligned.eml");
const ARC: &[u8] = include_bytes!("mails/arc.eml");
/// Name and text of each record.
const KEYS: &str = include_str!("mails/keys.txt");

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let redactor = Arc::new(Redactor::new(&Policy::default()).unwrap());
    Engine::load(include_bytes!("../../../models/guard.plm"), redactor, Brands::built_in()).unwrap()
});

/// Look-ups at a name server that knows the records, and answers that other names do not exist.
async fn names() -> OutboundNames {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    let zone: HashMap<&str, &str> = KEYS.lines().map(|line| line.split_once(' ').unwrap()).collect();
    tokio::spawn(async move {
        let mut buffer = [0; 2_048];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
            let reply = reply(&zone, &buffer[..length]);
            socket.send_to(&reply, from).await.unwrap();
        }
    });
    let config = outbound::Config { name_servers: vec![address], ..outbound::Config::default() };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let resolver = SystemResolver::new(&config, Arc::clone(&clock)).unwrap();
    let outbound = Arc::new(Outbound::new(&config, Arc::new(resolver), clock).unwrap());
    OutboundNames { outbound, organization: OrganizationId(Uuid::from_u128(1)) }
}

/// A reply with the text of a name (RFC 1035 section 4.1), or NXDOMAIN.
fn reply(zone: &HashMap<&str, &str>, message: &[u8]) -> Vec<u8> {
    let (mut labels, mut at) = (Vec::new(), 12);
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8(message[at + 1..end].to_vec()).unwrap().to_lowercase());
        at = end;
    }
    let question = &message[12..at + 5];
    let text = zone.get(labels.join(".").as_str()).filter(|_| question[question.len() - 3] == 16);
    let code = if zone.contains_key(labels.join(".").as_str()) { 0x80 } else { 0x83 };
    let mut reply =
        [&message[..2], &[0x81, code, 0, 1, 0, u8::from(text.is_some()), 0, 0, 0, 0], question].concat();
    if let Some(text) = text {
        let parts: Vec<u8> = text
            .as_bytes()
            .chunks(255)
            .flat_map(|part| [&[u8::try_from(part.len()).unwrap()], part].concat())
            .collect();
        // A pointer to the name of the question, TXT, IN, 60 s.
        reply.extend([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60]);
        reply.extend(u16::try_from(parts.len()).unwrap().to_be_bytes());
        reply.extend(parts);
    }
    reply
}

async fn assessed(raw: &[u8], config: &Config) -> Assessment {
    let mail = Mail::read(raw).unwrap();
    let authentication = authenticate(raw, &mail, &names().await, config).await;
    ENGINE.email(&mail, authentication, Opened::default())
}

/// Outcome of a check: points, or the reason for which it was not possible.
fn outcome(assessment: &Assessment, id: &str) -> Result<i16, String> {
    let check = assessment.checks.iter().find(|check| check.spec.id == id).unwrap();
    match &check.outcome {
        Outcome::Passed { points, .. } => Ok(*points),
        Outcome::Failed { points, .. } => Ok(-points),
        Outcome::NotPossible { reason } => Err(reason.clone()),
    }
}

#[tokio::test]
async fn valid_signatures_of_both_algorithms_authenticate_the_sender() {
    for raw in [RSA, ED25519] {
        let assessment = assessed(raw, &Config::default()).await;
        assert_eq!(outcome(&assessment, "email.dkim"), Ok(20));
        assert_eq!(outcome(&assessment, "email.dmarc"), Ok(20));
        let scored = score(Origin::Email, &assessment);
        assert_eq!((scored.floor, scored.sub_scores.identity), (None, Some(90)));
        assert!(scored.score >= 80, "{}", scored.score);
    }
}

#[tokio::test]
async fn a_changed_mail_fails_and_the_policy_of_its_domain_makes_it_a_threat() {
    let changed = String::from_utf8(RSA.to_vec()).unwrap().replace("Tuesday", "Wednesday");
    let assessment = assessed(changed.as_bytes(), &Config::default()).await;
    assert_eq!(outcome(&assessment, "email.dkim"), Ok(0));
    assert_eq!(outcome(&assessment, "email.dmarc"), Ok(-30));
    let scored = score(Origin::Email, &assessment);
    assert_eq!(scored.threats[0].kind, ThreatType::Phishing);
    assert!(scored.score <= 69, "{}", scored.score);
}

#[tokio::test]
async fn a_signature_of_another_domain_does_not_authenticate_from() {
    let assessment = assessed(UNALIGNED, &Config::default()).await;
    assert_eq!(outcome(&assessment, "email.dkim"), Ok(20));
    assert_eq!(outcome(&assessment, "email.dmarc"), Ok(-30));
}

#[tokio::test]
async fn a_seal_counts_if_its_domain_is_configured() {
    let plain = assessed(ARC, &Config::default()).await;
    assert_eq!(outcome(&plain, "email.arc"), Ok(0));
    let config = Config { arc_sealers: vec!["list.example".to_owned()], ..Config::default() };
    assert_eq!(outcome(&assessed(ARC, &config).await, "email.arc"), Ok(10));
}

#[tokio::test]
async fn spf_is_checked_for_deliveries_to_configured_relays_only() {
    let received = |address: &str| {
        let line = format!(
            "Received: from out.mail.signed.example (out.mail.signed.example [{address}])\r\n by mx.receiver.example with ESMTPS id 1;\r\n Wed, 8 Jul 2026 09:00:01 +0000\r\n"
        );
        [line.as_bytes(), RSA].concat()
    };
    let config = Config { mail_relays: vec!["mx.receiver.example".to_owned()], ..Config::default() };
    assert_eq!(outcome(&assessed(&received("192.0.2.7"), &config).await, "email.spf"), Ok(5));
    assert_eq!(outcome(&assessed(&received("198.51.100.7"), &config).await, "email.spf"), Ok(0));
    let unknown = outcome(&assessed(&received("192.0.2.7"), &Config::default()).await, "email.spf");
    assert_eq!(unknown, Err("no mail relay is configured".to_owned()));
    let forged = outcome(&assessed(RSA, &config).await, "email.spf");
    assert!(forged.unwrap_err().contains("no Received line"));
}

#[tokio::test]
async fn without_name_servers_the_failed_look_ups_are_named_and_the_result_is_caution_at_best() {
    let mail = Mail::read(RSA).unwrap();
    let authentication = authenticate(RSA, &mail, &NoNames, &Config::default()).await;
    let assessment = ENGINE.email(&mail, authentication, Opened::default());
    assert!(outcome(&assessment, "email.dkim").unwrap_err().contains("could not be looked up"));
    assert!(outcome(&assessment, "email.dmarc").unwrap_err().contains("could not be looked up"));
    assert_eq!(score(Origin::Email, &assessment).floor, Some(Floor::Caution));
}
