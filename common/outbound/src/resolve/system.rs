//! The files by which a system resolves names: `/etc/hosts` (hosts(5)) and `/etc/resolv.conf` (resolv.conf(5)).

use std::fs::{self, File};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hickory_resolver::Hosts;

use super::DNS_PORT;

/// Name servers that are asked: as many as the C library takes from the file.
const MAX_NAME_SERVERS: usize = 3;

/// Paths of the files.
pub(super) struct SystemFiles {
    pub(super) hosts: PathBuf,
    pub(super) resolv_conf: PathBuf,
}

impl Default for SystemFiles {
    fn default() -> Self {
        Self { hosts: "/etc/hosts".into(), resolv_conf: "/etc/resolv.conf".into() }
    }
}

/// By which a change of the files is recognised: time of change and length of each.
pub(super) type Stamp = [Option<(SystemTime, u64)>; 2];

/// The supported settings of `/etc/resolv.conf`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolverSettings {
    pub(super) name_servers: Vec<SocketAddr>,
    /// The time a name server has for its answer.
    pub(super) timeout: Option<Duration>,
}

impl SystemFiles {
    pub(super) fn stamp(&self) -> Stamp {
        let of = |path: &Path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        [of(&self.hosts), of(&self.resolv_conf)]
    }

    /// The names of the hosts file; none where it cannot be read.
    pub(super) fn hosts(&self) -> Hosts {
        let mut hosts = Hosts::default();
        let read = File::open(&self.hosts).and_then(|file| hosts.read_hosts_conf(file));
        if let Err(error) = read {
            tracing::warn!(path = %self.hosts.display(), %error, "the hosts file cannot be read");
        }
        hosts
    }

    /// The name servers and options of `resolv.conf`.
    pub(super) fn resolver_settings(&self) -> ResolverSettings {
        let text = fs::read(&self.resolv_conf).unwrap_or_else(|error| {
            tracing::warn!(path = %self.resolv_conf.display(), %error, "the resolver's settings cannot be read");
            Vec::new()
        });
        parse(&String::from_utf8_lossy(&text))
    }
}

fn parse(text: &str) -> ResolverSettings {
    let (mut name_servers, mut timeout) = (Vec::new(), None);
    for line in text.lines() {
        let line = line.split(['#', ';']).next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("nameserver") if name_servers.len() < MAX_NAME_SERVERS => {
                let word = words.next().unwrap_or_default();
                match word.parse::<IpAddr>() {
                    Ok(address) => name_servers.push(SocketAddr::new(address, DNS_PORT)),
                    // Such as one with a zone (fe80::1%eth0).
                    Err(_) => {
                        tracing::warn!(found = word, "expected the address of a name server; it is not asked")
                    }
                }
            }
            Some("options") => {
                let mut seconds = words.filter_map(|word| word.strip_prefix("timeout:")?.parse::<u64>().ok());
                timeout = seconds.next_back().map(|seconds| Duration::from_secs(seconds.max(1))).or(timeout);
            }
            _ => {}
        }
    }
    if name_servers.is_empty() {
        name_servers.push(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), DNS_PORT));
    }
    ResolverSettings { name_servers, timeout }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_servers_and_the_timeout_are_read_and_search_domains_are_not() {
        let text = "# made by hand\nsearch corp.example\nnameserver 192.0.2.1 ; first\nnameserver 2001:db8::1\n\
                    nameserver fe80::1%eth0\noptions ndots:5 timeout:2 rotate\n";
        let settings = parse(text);
        let expected = ["192.0.2.1:53", "[2001:db8::1]:53"].map(|address| address.parse().unwrap());
        assert_eq!(settings.name_servers, expected);
        assert_eq!(settings.timeout, Some(Duration::from_secs(2)));
    }

    #[test]
    fn without_name_servers_the_one_on_this_machine_is_asked() {
        let expected: SocketAddr = "127.0.0.1:53".parse().unwrap();
        assert_eq!(parse("").name_servers, [expected]);
        let many = "nameserver 192.0.2.1\n".repeat(5);
        assert_eq!(parse(&many).name_servers.len(), MAX_NAME_SERVERS);
    }
}
