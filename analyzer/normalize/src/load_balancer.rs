//! Access lines of the load balancers of AWS: application (HTTP), network (TLS) and classic ones. Every
//! part has its place and parts that hold spaces are quoted, as the user guides of Elastic Load Balancing
//! list them.

use super::reading::{Reading, source};
use super::{access_log, address, split, web};

/// Reads a line; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let first = split::at_byte(line, b' ').map_or(line, |(first, _)| first);
    match first {
        "http" | "https" | "h2" | "grpcs" | "ws" | "wss" => application(line.get(first.len() + 1..)?),
        "tls" => network(line.get(first.len() + 1..)?),
        _ => classic(line),
    }
}

/// Common part of the three: words in their order, read one after the other.
struct Words<'t>(&'t str);

impl<'t> Words<'t> {
    /// The next part, without its quotes; empty where the line has ended.
    fn next(&mut self) -> &'t str {
        if let Some(behind) = self.0.strip_prefix('"') {
            let (text, rest) = access_log::quoted(behind);
            self.0 = rest.strip_prefix(' ').unwrap_or(rest);
            return text;
        }
        let (word, rest) = split::at_byte(self.0, b' ').unwrap_or((self.0, ""));
        self.0 = rest;
        word
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }
}

fn reading<'t>(category: Option<&'static str>) -> Reading<'t> {
    Reading { fields: Vec::with_capacity(20), log_source: source(Some("aws"), category, Some("elb")) }
}

/// `ADDRESS:PORT`, with or without brackets around the address.
fn peer<'t>(word: &'t str, names: [&'static str; 2], reading: &mut Reading<'t>) -> Option<()> {
    let (address, port) = word.rsplit_once(':')?;
    let address = address.trim_matches(['[', ']']);
    if !address::is_address(address) || port.parse::<u16>().is_err() {
        return None;
    }
    let [address_name, port_name] = names;
    reading.text(address_name, address);
    reading.number(port_name, port);
    Some(())
}

const CLIENT: [&str; 2] = ["client.address", "client.port"];
const DESTINATION: [&str; 2] = ["destination.address", "destination.port"];

/// `2026-07-08T09:10:11.123456Z`, as the three write it.
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 19
        && bytes.get(10) == Some(&b'T')
        && bytes.get(4) == Some(&b'-')
        && bytes.get(13) == Some(&b':')
}

fn said(word: &str) -> &str {
    if word == "-" { "" } else { word }
}

/// Status and size of the answer, request and client: the part that application and classic
/// load balancers share, behind the three durations.
fn request<'t>(words: &mut Words<'t>, reading: &mut Reading<'t>) {
    let status = words.next();
    web::status(status.parse().ok(), reading);
    words.skip(1);
    reading.number("http.request.size", words.next());
    reading.number("http.response.size", words.next());
    web::request_line(words.next().trim_end(), reading);
    reading.text("user_agent.original", said(words.next()));
    reading.text("tls.cipher", said(words.next()));
    reading.text("tls.protocol.version", said(words.next()));
}

fn application(line: &str) -> Option<Reading<'_>> {
    let mut words = Words(line);
    if !is_time(words.next()) {
        return None;
    }
    let mut reading = reading(Some("webserver"));
    reading.text("aws.elb.name", words.next());
    peer(words.next(), CLIENT, &mut reading)?;
    // A request that went nowhere has no target.
    let _ = peer(words.next(), DESTINATION, &mut reading);
    words.skip(3);
    request(&mut words, &mut reading);
    words.skip(1);
    reading.text("aws.elb.trace_id", said(words.next()));
    reading.text("server.address", said(words.next()));
    words.skip(3);
    reading.text("event.action", said(words.next()));
    words.skip(1);
    reading.text("event.reason", said(words.next()));
    Some(reading)
}

fn network(line: &str) -> Option<Reading<'_>> {
    let mut words = Words(line);
    let is_version = words.next().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !is_version || !is_time(words.next()) {
        return None;
    }
    let mut reading = reading(Some("network_connection"));
    reading.text("aws.elb.name", words.next());
    words.skip(1);
    peer(words.next(), CLIENT, &mut reading)?;
    let _ = peer(words.next(), DESTINATION, &mut reading);
    words.skip(2);
    reading.number("network.io.receive", words.next());
    reading.number("network.io.transmit", words.next());
    reading.text("tls.alert", said(words.next()));
    words.skip(2);
    reading.text("tls.cipher", said(words.next()));
    reading.text("tls.protocol.version", said(words.next()));
    words.skip(1);
    reading.text("server.address", said(words.next()));
    Some(reading)
}

fn classic(line: &str) -> Option<Reading<'_>> {
    let mut words = Words(line);
    if !is_time(words.next()) {
        return None;
    }
    let mut reading = reading(None);
    reading.text("aws.elb.name", words.next());
    peer(words.next(), CLIENT, &mut reading)?;
    let _ = peer(words.next(), DESTINATION, &mut reading);
    for _ in 0..3 {
        words.next().parse::<f64>().ok()?;
    }
    // A listener that only passes bytes on has no request to show.
    if words.0.contains("\"- - - \"") {
        return Some(reading);
    }
    reading.log_source = source(Some("aws"), Some("webserver"), Some("elb"));
    request(&mut words, &mut reading);
    Some(reading)
}

#[cfg(test)]
mod tests;
