//! Gzip with a bound of the output and of the ratio, for sitemaps that are compressed files.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// Bytes of output for one of input. Lists of URLs reach 50; a bomb of gzip reaches 1,000.
const MOST_RATIO: usize = 100;

/// The content of a gzip file, and whether it was cut at a bound or at damage; the input itself if it is not gzip.
#[must_use]
pub(crate) fn inflated(body: &[u8], most: usize) -> (Vec<u8>, bool) {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return (body.get(..most).unwrap_or(body).to_vec(), body.len() > most);
    }
    let most = most.min(body.len().saturating_mul(MOST_RATIO));
    let mut content = Vec::new();
    // One byte more shows that there is more.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    // Content before the damage is used.
    let damaged = MultiGzDecoder::new(body).take(limit).read_to_end(&mut content).is_err();
    let cut = content.len() > most;
    content.truncate(most);
    (content, cut || damaged)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn content_is_restored_and_other_input_unchanged() {
        assert_eq!(inflated(&gzip(b"https://a.test/"), 100), (b"https://a.test/".to_vec(), false));
        assert_eq!(inflated(b"plain", 100), (b"plain".to_vec(), false));
        assert_eq!(inflated(b"plain", 2), (b"pl".to_vec(), true));
    }

    #[test]
    fn a_bomb_ends_at_the_ratio() {
        let bomb = gzip(&vec![0; 10 << 20]);
        let (content, cut) = inflated(&bomb, 50 << 20);
        assert_eq!((content.len(), cut), (bomb.len() * MOST_RATIO, true));
    }

    #[test]
    fn damage_keeps_the_content_before_it() {
        let mut damaged = gzip(&b"0123456789".repeat(1_000));
        damaged.truncate(damaged.len() - 4);
        let (content, cut) = inflated(&damaged, 1 << 20);
        assert!(cut && content.starts_with(b"0123456789") && content.len() <= 10_000);
    }
}
