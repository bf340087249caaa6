//! Lines the kernel's packet filter writes for iptables, nftables and ufw: a prefix of the
//! administrator's choice, then `IN=eth0 OUT= … SRC=… DST=… PROTO=TCP SPT=… DPT=…`.

use sigma::event::Value;

use super::address;
use super::reading::{Reading, source};

/// Reads a line; `None` for other lines of the kernel.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let line = after_uptime(line);
    let start = if line.starts_with("IN=") { 0 } else { line.find(" IN=")? + 1 };
    let (prefix, packet) = line.split_at(start);
    let mut reading =
        Reading { fields: Vec::with_capacity(12), log_source: source(Some("linux"), Some("firewall"), None) };
    let mut seen = Seen::default();
    for word in packet.split(' ') {
        let Some((name, value)) = word.split_once('=') else { continue };
        seen.take(name, value, &mut reading)?;
    }
    let (source_address, _) = (seen.source?, seen.destination?);
    reading.action(action(prefix), None);
    reading.text("event.reason", prefix.trim().trim_end_matches(':'));
    // Of outgoing packets the machine is the source, and no client here.
    if seen.inbound {
        reading.push("client.address", Value::String(source_address.into()));
    }
    Some(reading)
}

/// Fields read of a packet. An error message of ICMP quotes another packet behind its own, so
/// the first of a name counts.
#[derive(Default)]
struct Seen<'t> {
    inbound: bool,
    source: Option<&'t str>,
    destination: Option<&'t str>,
    protocol: bool,
    ports: (bool, bool),
}

impl<'t> Seen<'t> {
    /// `None` if an address is none, so that the line is not the kernel's.
    fn take(&mut self, name: &str, value: &'t str, reading: &mut Reading<'t>) -> Option<()> {
        match name {
            "IN" => {
                self.inbound = !value.is_empty();
                reading.text("network.interface.in", value);
            }
            "OUT" => reading.text("network.interface.out", value),
            "SRC" if self.source.is_none() => {
                address::is_address(value).then_some(())?;
                self.source = Some(value);
                reading.text("source.address", value);
            }
            "DST" if self.destination.is_none() => {
                address::is_address(value).then_some(())?;
                self.destination = Some(value);
                reading.text("destination.address", value);
            }
            "PROTO" if !self.protocol => {
                self.protocol = true;
                reading.text("network.transport", transport(value));
            }
            "SPT" if !self.ports.0 => {
                self.ports.0 = true;
                reading.number("source.port", value);
            }
            "DPT" if !self.ports.1 => {
                self.ports.1 = true;
                reading.number("destination.port", value);
            }
            _ => {}
        }
        Some(())
    }
}

/// Lower case, as OpenTelemetry has it.
fn transport(protocol: &str) -> &str {
    match protocol {
        "TCP" => "tcp",
        "UDP" => "udp",
        "ICMP" => "icmp",
        "ICMPv6" => "ipv6-icmp",
        other => other,
    }
}

fn action(prefix: &str) -> &'static str {
    let says = |words: &[&str]| {
        let has = |word: &&str| {
            prefix.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        };
        words.iter().any(has)
    };
    if says(&["block", "drop", "reject", "deny", "denied"]) {
        "firewall_denied"
    } else if says(&["allow", "accept"]) {
        "firewall_allowed"
    } else {
        "firewall_logged"
    }
}

/// `[12345.678901] `, the time since the machine was started.
pub(super) fn after_uptime(line: &str) -> &str {
    let rest = line.strip_prefix('[').and_then(|rest| {
        let (uptime, rest) = rest.split_once("] ")?;
        let is_uptime =
            !uptime.is_empty() && uptime.bytes().all(|byte| byte.is_ascii_digit() || b" .".contains(&byte));
        is_uptime.then_some(rest)
    });
    rest.unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &str = "IN=eth0 OUT= MAC=52:54:00:12:34:56:52:54:00:65:43:21:08:00 SRC=198.51.100.7 DST=10.0.0.5 LEN=60 TOS=0x00 PREC=0x00 TTL=49 ID=9 DF PROTO=TCP SPT=51515 DPT=22 WINDOW=64240 RES=0x00 SYN URGP=0";

    fn value(reading: &Reading<'_>, name: &str) -> Option<Value<'static>> {
        let (_, value) = reading.fields.iter().find(|(own, _)| *own == name)?;
        Some(super::super::reading::into_owned(value.clone()))
    }

    #[test]
    fn packets_of_every_frontend() {
        for (prefix, action) in [
            ("[UFW BLOCK] ", "firewall_denied"),
            ("[ 1234.567890] [UFW BLOCK] ", "firewall_denied"),
            ("[12345.678901] [UFW ALLOW] ", "firewall_allowed"),
            ("iptables-dropped: ", "firewall_denied"),
            ("nft accept ", "firewall_allowed"),
            ("", "firewall_logged"),
            ("FINAL_REJECT: ", "firewall_denied"),
        ] {
            let line = format!("{prefix}{PACKET}");
            let reading = read(&line).unwrap_or_else(|| panic!("not read: {line}"));
            for (name, expected) in [
                ("event.action", Value::String(action.into())),
                ("source.address", Value::String("198.51.100.7".into())),
                ("client.address", Value::String("198.51.100.7".into())),
                ("destination.address", Value::String("10.0.0.5".into())),
                ("network.transport", Value::String("tcp".into())),
                ("source.port", Value::Int(51515)),
                ("destination.port", Value::Int(22)),
            ] {
                assert_eq!(value(&reading, name), Some(expected), "{name} of {line}");
            }
            assert_eq!(reading.log_source, source(Some("linux"), Some("firewall"), None));
        }
    }

    #[test]
    fn a_quoted_packet_is_not_the_packet() {
        let line = "IN= OUT=eth0 SRC=10.0.0.5 DST=198.51.100.7 PROTO=ICMP TYPE=3 CODE=3 [SRC=203.0.113.9 DST=10.0.0.5 PROTO=UDP SPT=1 DPT=2 ]";
        let reading = read(line).unwrap();
        assert_eq!(value(&reading, "source.address"), Some(Value::String("10.0.0.5".into())));
        assert_eq!(value(&reading, "network.transport"), Some(Value::String("icmp".into())));
        assert_eq!(value(&reading, "client.address"), None);
    }

    #[test]
    fn other_lines_of_the_kernel() {
        for line in [
            "",
            "[",
            "[1.0] usb 1-1: new device",
            "IN=eth0",
            "x IN=eth0 SRC=a DST=b",
            "IN=eth0 OUT= SRC=198.51.100.7 PROTO=TCP",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
