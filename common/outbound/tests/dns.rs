//! Questions to a name server on loopback, which answers with every type of record, lies, or is silent.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the servers of a test end with its runtime")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::clock::{SharedClock, SystemClock};
use common::ids::OrganizationId;
use outbound::{
    Answer, Config, DnsError, DnsType, LookupRefusal, Outbound, Question, RecordData, Requester,
    SystemResolver,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use uuid::Uuid;

/// Bytes in front of the question of a message (RFC 1035 section 4.1.1).
const HEADER_BYTES: usize = 12;
/// Types of records by number.
const A: u16 = 1;
const NS: u16 = 2;
const CNAME: u16 = 5;
const SOA: u16 = 6;
const PTR: u16 = 12;
const MX: u16 = 15;
const TXT: u16 = 16;
const AAAA: u16 = 28;
const SRV: u16 = 33;
const CAA: u16 = 257;
/// No such name.
const NXDOMAIN: u8 = 3;
const SERVFAIL: u8 = 2;

/// Data of a name: an answer code, and records of owner, type and data.
type Zone = Vec<(&'static str, u8, Vec<(&'static str, u16, Vec<u8>)>)>;

/// A name server, over UDP and over TCP at the same port. It is silent about names that it does not know.
struct NameServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl NameServer {
    async fn start(zone: Zone) -> Self {
        let (udp, tcp) = sockets().await;
        let address = udp.local_addr().unwrap();
        let (zone, asked) = (Arc::new(zone), Arc::new(AtomicUsize::new(0)));
        let (known, counter) = (Arc::clone(&zone), Arc::clone(&asked));
        tokio::spawn(async move {
            let mut buffer = [0; 512];
            loop {
                let (length, from) = udp.recv_from(&mut buffer).await.unwrap();
                counter.fetch_add(1, Ordering::SeqCst);
                let Some(mut reply) = reply(&known, &buffer[..length]) else { continue };
                if reply.len() > 512 {
                    // Truncated: the client asks again over TCP.
                    reply = question(&buffer[..length]);
                    reply[2] |= 2;
                }
                udp.send_to(&reply, from).await.unwrap();
            }
        });
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = tcp.accept().await.unwrap();
                let length = stream.read_u16().await.unwrap();
                let mut message = vec![0; length.into()];
                stream.read_exact(&mut message).await.unwrap();
                let reply = reply(&zone, &message).unwrap();
                stream.write_u16(u16::try_from(reply.len()).unwrap()).await.unwrap();
                stream.write_all(&reply).await.unwrap();
            }
        });
        Self { address, asked }
    }

    fn outbound(&self, allowed: &[&str]) -> Outbound {
        self.outbound_within(allowed, 20_000)
    }

    fn outbound_within(&self, allowed: &[&str], resolve_timeout_ms: u64) -> Outbound {
        let config = Config {
            name_servers: vec![self.address],
            allow_networks: allowed.iter().map(|network| network.parse().unwrap()).collect(),
            resolve_timeout_ms,
            ..Config::default()
        };
        let clock: SharedClock = Arc::new(SystemClock::new());
        let resolver = SystemResolver::new(&config, Arc::clone(&clock)).unwrap();
        Outbound::new(&config, Arc::new(resolver), clock).unwrap()
    }
}

/// Sockets of a port that is free for both.
async fn sockets() -> (UdpSocket, TcpListener) {
    loop {
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
            return (udp, tcp);
        }
    }
}

/// The name that a message asks for, and where its question ends.
fn name(message: &[u8]) -> (String, usize) {
    let (mut name, mut at) = (Vec::new(), HEADER_BYTES);
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        name.push(String::from_utf8(message[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    (name.join("."), at + 5)
}

/// The head and question of a reply without records.
fn question(message: &[u8]) -> Vec<u8> {
    let mut reply = message[..2].to_vec();
    reply.extend([0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]);
    reply.extend(&message[HEADER_BYTES..name(message).1]);
    reply
}

fn reply(zone: &Zone, message: &[u8]) -> Option<Vec<u8>> {
    let (asked, end) = name(message);
    let kind = u16::from_be_bytes([message[end - 4], message[end - 3]]);
    let (_, code, records) = zone.iter().find(|(name, ..)| *name == asked)?;
    let mut reply = question(message);
    reply[3] |= code;
    let mut count = 0_u16;
    for (owner, of, data) in records {
        if ![kind, CNAME].contains(of) && !owner.starts_with("injected") {
            continue;
        }
        count += 1;
        reply.extend(encoded(owner));
        reply.extend(of.to_be_bytes());
        // Class IN, 60 s.
        reply.extend([0, 1, 0, 0, 0, 60]);
        reply.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        reply.extend(data);
    }
    reply[6..8].copy_from_slice(&count.to_be_bytes());
    Some(reply)
}

/// A name as messages have it.
fn encoded(name: &str) -> Vec<u8> {
    let labels = name.split('.').filter(|label| !label.is_empty());
    let mut bytes: Vec<u8> =
        labels.flat_map(|label| [&[u8::try_from(label.len()).unwrap()], label.as_bytes()].concat()).collect();
    bytes.push(0);
    bytes
}

fn numbered(numbers: &[u16], name: &str) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).chain(encoded(name)).collect()
}

fn texts(texts: &[&str]) -> Vec<u8> {
    texts.iter().flat_map(|text| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()).collect()
}

fn requester(organization: u128) -> Requester {
    Requester::interactive(OrganizationId(Uuid::from_u128(organization)))
}

async fn ask(outbound: &Outbound, name: &str, kind: DnsType) -> Result<Answer, DnsError> {
    outbound.ask(requester(1), Question::Records(name, kind)).await
}

async fn data(outbound: &Outbound, name: &str, kind: DnsType) -> Vec<RecordData> {
    ask(outbound, name, kind).await.unwrap().records.into_iter().map(|record| record.data).collect()
}

#[tokio::test]
async fn every_type_of_record_is_read() {
    let mut soa = [encoded("ns1.one.example"), encoded("admin.one.example")].concat();
    soa.extend([7_u32, 1, 2, 3, 4].iter().flat_map(|number| number.to_be_bytes()));
    let apex = vec![
        ("one.example", A, vec![93, 184, 216, 34]),
        ("one.example", AAAA, [&[0x26, 6, 0x47, 0][..], &[0; 11], &[1]].concat()),
        ("one.example", CAA, [&[128, 5][..], b"issue", b"ca.example"].concat()),
        ("one.example", MX, numbered(&[10], "mx.one.example")),
        ("one.example", NS, encoded("ns1.one.example")),
        ("one.example", SOA, soa),
        ("one.example", TXT, texts(&["v=spf1 ", "-all"])),
    ];
    let service = vec![("_sip._tcp.one.example", SRV, numbered(&[1, 2, 5_061], "sip.one.example"))];
    let alias = vec![("www.one.example", CNAME, encoded("one.cdn.example"))];
    let names = vec![("34.216.184.93.in-addr.arpa", PTR, encoded("web.one.example"))];
    let server = NameServer::start(vec![
        ("one.example", 0, apex),
        ("_sip._tcp.one.example", 0, service),
        ("www.one.example", 0, alias),
        ("34.216.184.93.in-addr.arpa", 0, names),
    ])
    .await;
    let outbound = server.outbound(&[]);
    let host = |name: &str| name.to_owned();
    for (kind, expected) in [
        (DnsType::A, RecordData::Address("93.184.216.34".parse().unwrap())),
        (DnsType::Aaaa, RecordData::Address("2606:4700::1".parse().unwrap())),
        (DnsType::Caa, RecordData::Caa { critical: true, tag: host("issue"), value: host("ca.example") }),
        (DnsType::Mx, RecordData::Exchange { preference: 10, host: host("mx.one.example") }),
        (DnsType::Ns, RecordData::Server(host("ns1.one.example"))),
        (
            DnsType::Soa,
            RecordData::Authority {
                server: host("ns1.one.example"),
                responsible: host("admin.one.example"),
                serial: 7,
            },
        ),
        (DnsType::Txt, RecordData::Text(b"v=spf1 -all".to_vec())),
    ] {
        assert_eq!(data(&outbound, "one.example", kind).await, [expected], "{kind:?}");
    }
    let service = RecordData::Service { priority: 1, weight: 2, port: 5_061, host: host("sip.one.example") };
    assert_eq!(data(&outbound, "_sip._tcp.one.example", DnsType::Srv).await, [service]);
    let alias = RecordData::Alias(host("one.cdn.example"));
    assert_eq!(data(&outbound, "www.one.example", DnsType::Cname).await, [alias]);
    let names = outbound.ask(requester(1), Question::NamesOf("93.184.216.34".parse().unwrap())).await;
    let record = names.unwrap().records.remove(0);
    assert_eq!((record.data, record.ttl), (RecordData::Pointer(host("web.one.example")), 60));
}

#[tokio::test]
async fn canonical_names_on_the_way_are_told() {
    let records = vec![
        ("www.one.example", CNAME, encoded("one.cdn.example")),
        ("one.cdn.example", A, vec![93, 184, 216, 34]),
    ];
    let server = NameServer::start(vec![("www.one.example", 0, records)]).await;
    let answer = ask(&server.outbound(&[]), "www.one.example", DnsType::A).await.unwrap();
    let found: Vec<_> = answer.records.iter().map(|record| (&record.name[..], &record.data)).collect();
    let address = RecordData::Address("93.184.216.34".parse().unwrap());
    let alias = RecordData::Alias("one.cdn.example".to_owned());
    assert_eq!(found, [("www.one.example", &alias), ("one.cdn.example", &address)]);
}

#[tokio::test]
async fn addresses_that_are_not_public_are_withheld_unless_the_operator_allows_them() {
    let records = vec![
        ("one.example", A, vec![10, 0, 0, 1]),
        ("one.example", A, vec![93, 184, 216, 34]),
        ("one.example", A, vec![169, 254, 169, 254]),
    ];
    let server = NameServer::start(vec![("one.example", 0, records)]).await;
    let answer = ask(&server.outbound(&[]), "one.example", DnsType::A).await.unwrap();
    assert_eq!((answer.records.len(), answer.withheld), (1, 2));
    let answer = ask(&server.outbound(&["10.0.0.0/8"]), "one.example", DnsType::A).await.unwrap();
    assert_eq!((answer.records.len(), answer.withheld), (2, 1));

    let asked = server.asked.load(Ordering::SeqCst);
    for private in ["10.0.0.1", "::1", "::ffff:192.168.0.1", "169.254.169.254"] {
        let question = Question::NamesOf(private.parse::<IpAddr>().unwrap());
        let error = server.outbound(&[]).ask(requester(1), question).await.unwrap_err();
        assert!(matches!(error, DnsError::Address { .. }) && error.is_final(), "{private}: {error}");
    }
    assert_eq!(server.asked.load(Ordering::SeqCst), asked, "no name server is asked");
}

#[tokio::test]
async fn a_name_without_records_a_name_that_does_not_exist_and_a_failure_are_told_apart() {
    let server = NameServer::start(vec![
        ("one.example", 0, Vec::new()),
        ("none.example", NXDOMAIN, Vec::new()),
        ("broken.example", SERVFAIL, Vec::new()),
    ])
    .await;
    let outbound = server.outbound(&[]);
    assert_eq!(ask(&outbound, "one.example", DnsType::Mx).await, Ok(Answer::default()));
    assert_eq!(ask(&outbound, "none.example", DnsType::Mx).await, Err(DnsError::NoSuchName));
    assert_eq!(ask(&outbound, "broken.example", DnsType::Mx).await, Err(DnsError::Failed));
    let hasty = server.outbound_within(&[], 200);
    assert_eq!(ask(&hasty, "silent.example", DnsType::Mx).await, Err(DnsError::TimedOut));
    let long = format!("{}.example", "x".repeat(64));
    for name in [&long, "two..example", "caf\u{e9}.example"] {
        assert_eq!(ask(&outbound, name, DnsType::A).await, Err(DnsError::Name), "{name}");
    }
}

#[tokio::test]
async fn answers_are_bounded_and_records_of_other_types_are_dropped() {
    let many: Vec<_> = (0..300_u16)
        .map(|number| ("one.example", A, vec![93, 184, number.to_be_bytes()[0], number.to_be_bytes()[1]]))
        .chain([("injected.example", TXT, texts(&["not asked for"]))])
        .collect();
    let server = NameServer::start(vec![("one.example", 0, many)]).await;
    let answer = ask(&server.outbound(&[]), "one.example", DnsType::A).await.unwrap();
    assert_eq!((answer.records.len(), answer.dropped), (256, 44));
    assert!(answer.records.iter().all(|record| matches!(record.data, RecordData::Address(_))));
}

#[tokio::test]
async fn questions_count_as_look_ups_of_their_organization() {
    let server = NameServer::start(vec![("one.example", 0, Vec::new())]).await;
    let outbound = server.outbound(&[]);
    let silent = (0..outbound::MAX_LOOKUPS).map(|_| ask(&outbound, "silent.example", DnsType::Txt));
    let mut silent = std::pin::pin!(futures_util::future::join_all(silent));
    let others = async {
        let refused = ask(&outbound, "one.example", DnsType::Txt).await;
        let stranger = outbound.ask(requester(2), Question::Records("one.example", DnsType::Txt)).await;
        (refused, stranger)
    };
    tokio::select! {
        biased;
        _ = &mut silent => panic!("nobody answers these"),
        (refused, stranger) = others => {
            assert_eq!(refused, Err(DnsError::Lookups { refusal: LookupRefusal::Organization }));
            assert_eq!(stranger, Ok(Answer::default()));
        }
    }
}
