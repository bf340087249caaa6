//! `google.rpc.Status` in protobuf, the only message that ingestion encodes by itself.

/// The message: `code` is field 1, `message` field 2.
pub(super) fn encode(code: u8, message: &str) -> Vec<u8> {
    let mut status = vec![0x08, code, 0x12];
    let mut length = message.len();
    while length >= 0x80 {
        status.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    status.push(length as u8);
    status.extend_from_slice(message.as_bytes());
    status
}
