//! Hand-made gzip: members that expand enormously, and members with wrong sizes.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use loadtest::forms::compress;
use loadtest::load::template::GZIP_HEAD;

/// Spaces, which JSON allows between any two values.
static MEBIBYTE: [u8; 1 << 20] = [b' '; 1 << 20];
/// An empty last block with fixed codes (RFC 1951 section 3.2.6).
const LAST_BLOCK: [u8; 2] = [3, 0];

/// A member of a number of MiB of spaces, about a kilobyte for each. Its checksum is right, its size is
/// given by the caller.
pub(crate) fn bomb(mebibytes: usize, says: Option<u32>) -> Vec<u8> {
    let mut bytes = GZIP_HEAD.to_vec();
    let block = flushed_block();
    let mut checksum = Crc::new();
    let mut of_one = Crc::new();
    of_one.update(&MEBIBYTE);
    for _ in 0..mebibytes {
        bytes.extend_from_slice(&block);
        checksum.combine(&of_one);
    }
    bytes.extend_from_slice(&LAST_BLOCK);
    bytes.extend_from_slice(&checksum.sum().to_le_bytes());
    bytes.extend_from_slice(&says.unwrap_or_else(|| checksum.amount()).to_le_bytes());
    bytes
}

/// A mebibyte of spaces as blocks that are independent of those before and end on a whole byte.
fn flushed_block() -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&MEBIBYTE);
    let _ = encoder.flush();
    encoder.get_ref().clone()
}

/// An ordinary member whose trailer gives another size.
pub(crate) fn lying(plain: &[u8], says: u32) -> Vec<u8> {
    let mut bytes = compress(plain);
    bytes.truncate(bytes.len().saturating_sub(4));
    bytes.extend_from_slice(&says.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn a_bomb_is_what_it_says() {
        let bomb = bomb(3, None);
        assert!(bomb.len() < 8 * 1024, "{}", bomb.len());
        let mut plain = Vec::new();
        GzDecoder::new(bomb.as_slice()).read_to_end(&mut plain).unwrap();
        assert_eq!(plain.len(), 3 << 20);
        assert!(plain.iter().all(|byte| *byte == b' '));
    }

    #[test]
    fn a_lie_is_one() {
        let mut plain = Vec::new();
        assert!(GzDecoder::new(lying(b"hello", 4).as_slice()).read_to_end(&mut plain).is_err());
        plain.clear();
        GzDecoder::new(lying(b"hello", 5).as_slice()).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, b"hello");
    }
}
