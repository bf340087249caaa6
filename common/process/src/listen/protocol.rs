//! Detection of a connection's HTTP version from its first bytes (RFC 9113 section 3.4): the HTTP/2
//! preface, or anything else, which is left to the HTTP/1.1 parser.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Reads until the protocol is certain; returns it with the bytes read, which belong to it.
pub(super) async fn detect<T: AsyncRead + Unpin>(stream: &mut T) -> io::Result<(Protocol, Bytes)> {
    let mut seen = BytesMut::with_capacity(PREFACE.len());
    while seen.len() < PREFACE.len() {
        let mut rest = (&mut *stream).take((PREFACE.len() - seen.len()) as u64);
        let ended = rest.read_buf(&mut seen).await? == 0;
        if ended || !PREFACE.starts_with(&seen) {
            return Ok((Protocol::Http1, seen.freeze()));
        }
    }
    Ok((Protocol::Http2, seen.freeze()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_preface_is_recognised_in_pieces_and_nothing_is_lost() {
        let (mut near, mut far) = tokio::io::duplex(1);
        let sending = async {
            tokio::io::AsyncWriteExt::write_all(&mut near, PREFACE).await.unwrap();
        };
        let (found, ()) = tokio::join!(detect(&mut far), sending);
        assert_eq!(found.unwrap(), (Protocol::Http2, Bytes::from_static(PREFACE)));

        let mut request: &[u8] = b"PROPFIND / HTTP/1.1\r\n";
        let (protocol, seen) = detect(&mut request).await.unwrap();
        assert_eq!(protocol, Protocol::Http1);
        assert_eq!([&seen, request].concat(), b"PROPFIND / HTTP/1.1\r\n");
        let (protocol, seen) = detect(&mut [].as_slice()).await.unwrap();
        assert_eq!((protocol, seen.len()), (Protocol::Http1, 0));
    }
}
