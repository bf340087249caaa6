//! A name server on loopback (RFC 1035) that is silent for names that end in `silent.test`, returns an address for names
//! that end in `receiver.test`, and denies all others.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::UdpSocket;
use tokio::task::JoinSet;

/// Bytes before the question.
const HEADER_BYTES: usize = 12;
/// Type and class after the name of a question.
const QUESTION_TAIL_BYTES: usize = 4;
/// Type A, class IN.
const ADDRESS_QUESTION: [u8; 4] = [0, 1, 0, 1];
/// A public address: the victims' webhooks are only created, never called.
const RECEIVER: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

/// Starts it; returns its address.
///
/// # Errors
/// When the address cannot be bound.
pub(crate) async fn start(listen: SocketAddr, tasks: &mut JoinSet<()>) -> io::Result<SocketAddr> {
    let socket = UdpSocket::bind(listen).await?;
    let address = socket.local_addr()?;
    tasks.spawn(async move {
        let mut buffer = [0; 512];
        loop {
            let Ok((length, from)) = socket.recv_from(&mut buffer).await else { continue };
            let reply = buffer.get(..length).and_then(answer);
            if let Some(reply) = reply {
                // The reply is lost if the client has closed its socket.
                let _ = socket.send_to(&reply, from).await;
            }
        }
    });
    Ok(address)
}

/// The reply to a query; `None` if it is silent.
fn answer(query: &[u8]) -> Option<Vec<u8>> {
    let (name, end) = name_of(query)?;
    if name.ends_with("silent.test.") {
        return None;
    }
    let question = query.get(HEADER_BYTES..end + QUESTION_TAIL_BYTES)?;
    let is_known = name.ends_with("receiver.test.");
    let has_address = is_known && question.ends_with(&ADDRESS_QUESTION);
    let code = if is_known { 0 } else { 3 };
    let mut reply = query.get(..2)?.to_vec();
    reply.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(has_address), 0, 0, 0, 0]);
    reply.extend(question);
    if has_address {
        // The name of the question, type A, class IN, 60 s, four bytes.
        reply.extend([0xc0, HEADER_BYTES as u8, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        reply.extend(RECEIVER.octets());
    }
    Some(reply)
}

/// The requested name in lower case, and the offset of its end.
fn name_of(query: &[u8]) -> Option<(String, usize)> {
    let (mut name, mut at) = (String::new(), HEADER_BYTES);
    loop {
        let length = usize::from(*query.get(at)?);
        if length == 0 {
            return Some((name, at + 1));
        }
        let label = query.get(at + 1..at + 1 + length)?;
        name.push_str(&String::from_utf8_lossy(label).to_lowercase());
        name.push('.');
        at += 1 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(name: &str, kind: u8) -> Vec<u8> {
        let mut query = vec![7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            query.push(label.len() as u8);
            query.extend(label.as_bytes());
        }
        query.extend([0, 0, kind, 0, 1]);
        query
    }

    #[test]
    fn it_is_silent_about_some_names_and_answers_others() {
        assert_eq!(answer(&query("7.Silent.test", 1)), None);
        let known = answer(&query("a.receiver.test", 1)).unwrap();
        assert!(known.ends_with(&RECEIVER.octets()) && known[7] == 1 && known[3] & 15 == 0);
        let other_type = answer(&query("a.receiver.test", 28)).unwrap();
        assert_eq!((other_type[7], other_type[3] & 15), (0, 0));
        assert_eq!(answer(&query("example.test", 1)).unwrap()[3] & 15, 3);
        assert_eq!(answer(&[1, 2, 3]), None);
    }
}
