//! Resolution against name servers of the tests: silent, slow and answering ones, and the hosts file.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use common::clock::ManualClock;
use common::timestamp::Timestamp;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use super::*;

/// Bytes in front of the question of a DNS message (RFC 1035 section 4.1.1).
const HEADER_BYTES: usize = 12;
/// The question for IPv4 addresses.
const TYPE_A: [u8; 2] = [0, 1];

/// A name server on loopback: answers for the names it knows, denies those below `denied.`, and is silent otherwise.
struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl NameServer {
    async fn start(names: &[(&str, &[Ipv4Addr])]) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let names: HashMap<String, Vec<Ipv4Addr>> =
            names.iter().map(|(name, addresses)| ((*name).to_owned(), addresses.to_vec())).collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
        let serving = tokio::spawn(async move {
            let mut buffer = [0; 512];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                let question = &buffer[..length];
                let name = name_of(question);
                heard.lock().unwrap().push(name.clone());
                let answer = match names.get(&name) {
                    Some(addresses) => answer(question, 0, addresses),
                    None if name.ends_with("denied.") => answer(question, 3, &[]),
                    None => continue,
                };
                socket.send_to(&answer, from).await.unwrap();
            }
        });
        Self { address, asked, serving }
    }

    fn asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.sort();
        asked.dedup();
        asked
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The name asked for.
fn name_of(message: &[u8]) -> String {
    let (mut name, mut at) = (String::new(), HEADER_BYTES);
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        name.push_str(std::str::from_utf8(&message[at + 1..end]).unwrap());
        name.push('.');
        at = end;
    }
    name
}

/// An answer with addresses to a question for IPv4 addresses, one without records to others.
fn answer(question: &[u8], code: u8, addresses: &[Ipv4Addr]) -> Vec<u8> {
    let end = HEADER_BYTES + name_of(question).len() + 1 + 4;
    let is_for_ipv4 = question[end - 4..end - 2] == TYPE_A;
    let addresses = if is_for_ipv4 { addresses } else { &[] };
    let mut message = question[..2].to_vec();
    message.extend([0x81, 0x80 | code, 0, 1, 0, u8::try_from(addresses.len()).unwrap(), 0, 0, 0, 0]);
    message.extend(&question[HEADER_BYTES..end]);
    for address in addresses {
        // The name of the question, type, class IN, 60 s, four bytes.
        message.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        message.extend(address.octets());
    }
    message
}

/// Files of a system, and a resolver that reads them.
struct System {
    directory: tempfile::TempDir,
    clock: Arc<ManualClock>,
    resolver: SystemResolver,
}

impl System {
    fn new(hosts: &str, resolv_conf: &str, config: &Config) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("hosts"), hosts).unwrap();
        std::fs::write(directory.path().join("resolv.conf"), resolv_conf).unwrap();
        let files = SystemFiles {
            hosts: directory.path().join("hosts"),
            resolv_conf: directory.path().join("resolv.conf"),
        };
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let shared: SharedClock = clock.clone();
        let resolver = SystemResolver::with_files(files, config, shared).unwrap();
        Self { directory, clock, resolver }
    }

    fn hosts(&self) -> PathBuf {
        self.directory.path().join("hosts")
    }
}

fn asking(server: &NameServer) -> Config {
    Config { name_servers: vec![server.address], resolve_timeout_ms: 400, ..Config::default() }
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[tokio::test]
async fn the_hosts_file_answers_first_and_its_names_are_asked_of_nobody() {
    let server = NameServer::start(&[("receiver.example.", &[Ipv4Addr::new(192, 0, 2, 7)])]).await;
    let hosts = "127.0.0.1 localhost\n10.1.2.3 Collector collector.internal # ours\n::1 collector\n";
    let system = System::new(hosts, "", &asking(&server));
    let resolve = |name: &'static str| system.resolver.resolve(name);
    assert_eq!(resolve("collector").await.unwrap(), addresses(&["10.1.2.3", "::1"]));
    assert_eq!(resolve("COLLECTOR.internal").await.unwrap(), addresses(&["10.1.2.3"]));
    assert_eq!(server.asked(), [""; 0]);
    assert_eq!(resolve("receiver.example").await.unwrap(), addresses(&["192.0.2.7"]));
    assert_eq!(server.asked(), ["receiver.example."]);
}

#[tokio::test]
async fn names_are_absolute_so_that_no_search_domain_is_tried() {
    let server = NameServer::start(&[("vault.corp.example.", &[Ipv4Addr::new(10, 0, 0, 1)])]).await;
    let system = System::new("", "search corp.example denied\nnameserver 192.0.2.1\n", &asking(&server));
    let error = system.resolver.resolve("vault.denied").await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (io::ErrorKind::NotFound, "the name has no addresses")
    );
    let error = system.resolver.resolve("vault").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    assert_eq!(server.asked(), ["vault.", "vault.denied."]);
}

#[tokio::test]
async fn a_silent_name_server_holds_up_no_other_name() {
    let public = Ipv4Addr::new(192, 0, 2, 7);
    let server = NameServer::start(&[("receiver.example.", &[public])]).await;
    let system = System::new("", "", &Config { resolve_timeout_ms: 60_000, ..asking(&server) });
    let names: Vec<String> = (0..200).map(|number| format!("{number}.silent.example")).collect();
    let silent = names.iter().map(|name| system.resolver.resolve(name));
    let mut silent = std::pin::pin!(futures_util::future::join_all(silent));
    let answered = async {
        // On the one thread of this test, as all the others.
        system.resolver.resolve("receiver.example").await
    };
    tokio::select! {
        _ = &mut silent => panic!("nobody answers these"),
        answer = answered => assert_eq!(answer.unwrap(), [IpAddr::V4(public)]),
    }
}

#[tokio::test]
async fn without_an_answer_a_name_server_is_asked_again_until_the_time_is_over() {
    let server = NameServer::start(&[]).await;
    let system = System::new("", "", &asking(&server));
    let before = tokio::time::Instant::now();
    let error = system.resolver.resolve("silent.example").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    assert!(before.elapsed() < Duration::from_millis(900), "{:?} for 400 ms", before.elapsed());
    assert!(!error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn answers_are_asked_for_again_each_time() {
    let server = NameServer::start(&[("receiver.example.", &[Ipv4Addr::new(192, 0, 2, 7)])]).await;
    let system = System::new("", "", &asking(&server));
    for _ in 0..2 {
        system.resolver.resolve("receiver.example").await.unwrap();
    }
    assert_eq!(server.asked.lock().unwrap().len(), 4, "twice for each kind of address");
}

#[tokio::test]
async fn a_changed_hosts_file_is_read_again() {
    let server = NameServer::start(&[]).await;
    let system = System::new("10.0.0.1 collector\n", "", &asking(&server));
    assert_eq!(system.resolver.resolve("collector").await.unwrap(), addresses(&["10.0.0.1"]));
    std::fs::write(system.hosts(), "10.0.0.22 collector\n").unwrap();
    assert_eq!(system.resolver.resolve("collector").await.unwrap(), addresses(&["10.0.0.1"]));
    system.clock.advance(EXAMINE_EVERY);
    assert_eq!(system.resolver.resolve("collector").await.unwrap(), addresses(&["10.0.0.22"]));
}
