//! Content codings as servers send them, and as no server should.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::HeaderValue;
use proptest::prelude::*;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn coding(name: &'static str) -> Result<Option<Inflater>, SendError> {
    Inflater::for_headers(&HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(name))]))
}

/// Inflates a body in pieces; the body, and whether it is complete.
fn inflate(name: &'static str, sent: &[u8], piece: usize, most: usize) -> Result<(Vec<u8>, bool), Stop> {
    let mut inflater = coding(name).unwrap().unwrap();
    let mut room = Room::new(most);
    for piece in sent.chunks(piece) {
        inflater.push(piece, &mut room)?;
    }
    Ok((room.pass().to_vec(), inflater.is_complete()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_coding_gives_back_what_was_coded(
        body in prop::collection::vec(0..4_u8, 0..20_000), piece in 100..5_000_usize,
    ) {
        for (name, sent) in [("gzip", gzip(&body)), ("deflate", zlib(&body)), ("deflate", raw(&body))] {
            prop_assert_eq!(inflate(name, &sent, piece, body.len()).unwrap(), (body.clone(), true));
            let cut = inflate(name, &sent[..sent.len() - 1], piece, body.len());
            prop_assert!(!matches!(cut, Ok((_, true))), "{} without its last byte", name);
            if !body.is_empty() {
                let full = inflate(name, &sent, piece, body.len() - 1);
                prop_assert!(matches!(full, Err(Stop::Full)), "{:?}", full);
            }
        }
    }

    #[test]
    fn damage_is_an_error_and_nothing_else(sent in prop::collection::vec(any::<u8>(), 0..400)) {
        for name in ["gzip", "deflate"] {
            if let Ok((body, _)) = inflate(name, &sent, 100, 1_000) {
                prop_assert!(body.len() <= 1_000);
            }
        }
    }
}

#[test]
fn members_are_read_to_the_last_and_only_so_many() {
    let two = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(inflate("x-gzip", &two, 7, 100).unwrap(), (b"one two".to_vec(), true));
    let garbage = [gzip(b"one"), b"garbage".to_vec()].concat();
    assert!(matches!(inflate("gzip", &garbage, 1_000, 100), Err(Stop::Damaged(_))));
    let empty = gzip(b"");
    assert_eq!(inflate("gzip", &empty.repeat(MAX_MEMBERS), 1_000, 100).unwrap(), (Vec::new(), true));
    assert!(matches!(inflate("gzip", &empty.repeat(MAX_MEMBERS + 1), 1_000, 100), Err(Stop::Damaged(_))));
    let after = [zlib(b"one"), b"more".to_vec()].concat();
    assert!(matches!(inflate("deflate", &after, 1_000, 100), Err(Stop::Damaged(_))));
}

#[test]
fn one_coding_at_most_is_read() {
    assert!(coding("identity").unwrap().is_none() && coding(" GZIP ").unwrap().is_some());
    for found in ["br", "gzip, gzip", "zstd"] {
        assert!(matches!(coding(found), Err(SendError::Coding { .. })), "{found}");
    }
}
