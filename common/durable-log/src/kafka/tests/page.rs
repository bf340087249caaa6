//! `docs/kafka.md` against the messages that are written: headers by name and order, and the layout of the batch header.

use common::batch::BatchHeaders;
use common::fingerprint::{Fingerprint, Fingerprints};
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use rdkafka::message::Headers;

use super::super::record;
use super::*;
use crate::{FORMATS, headers};

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kafka.md"));

/// The cells of the rows of the table below a heading.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let section = PAGE.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

fn headers(idempotency: Option<[u8; 32]>) -> BatchHeaders {
    BatchHeaders {
        organization: OrganizationId::from_bytes([1; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: "shop".to_owned(),
        environment: "staging".to_owned(),
        received_at: Timestamp(1_783_501_811_012_345_678),
        digest: [3; 32],
        idempotency,
        every_record_timed: true,
        record_count: 7,
        tick: false,
        fingerprints: Fingerprints::new(vec![Fingerprint { offset: 5, value: 6 }]),
    }
}

#[test]
fn the_headers_in_text_are_those_of_the_page() {
    let written = record::headers(&headers(None));
    let text = |header: rdkafka::message::Header<'_, &[u8]>| {
        let value = String::from_utf8_lossy(header.value.unwrap()).into_owned();
        (header.key.to_owned(), value)
    };
    let written: Vec<_> = written.iter().map(text).collect();
    assert_eq!(written[0].0, record::BATCH_HEADER);
    assert!(PAGE.contains(&format!("\n## The header `{}`\n", record::BATCH_HEADER)));
    let named: Vec<_> =
        rows("Headers in text").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let keys: Vec<_> = written[1..].iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(named, keys);
    let values: Vec<_> = written[1..].iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(
        values,
        [
            "01010101-0101-0101-0101-010101010101",
            "02020202-0202-0202-0202-020202020202",
            "shop",
            "staging",
            "2026-07-08T09:10:11.012Z",
            "7",
            "application/x-protobuf",
        ]
    );
}

#[test]
fn the_layout_of_the_batch_header_is_that_of_the_page() {
    for idempotency in [None, Some([4; 32])] {
        let headers = headers(idempotency);
        let mut bytes = Vec::new();
        headers::encode(&headers, &mut bytes);
        let mut rest = bytes.as_slice();
        let mut length = 0;
        for row in rows("The header `palisade-batch`") {
            let (size, about) = (row[0], row[1]);
            if about.contains("only with flag 1") && idempotency.is_none() {
                continue;
            }
            let size = if size == "…" { length } else { size.parse().unwrap() };
            let (field, behind) = rest.split_at(size);
            rest = behind;
            let expected: Vec<u8> = match about.split([':', ',', ';']).next().unwrap() {
                "version" => vec![u8::try_from(FORMATS.newest).unwrap()],
                "flags" => vec![if idempotency.is_some() { 1 | 2 | 8 } else { 2 | 8 }],
                "organization" => vec![1; 16],
                "source" => vec![2; 16],
                "time of acceptance" => headers.received_at.0.to_le_bytes().to_vec(),
                "digest of the body as sent" => vec![3; 32],
                "number of log records" => 7_u32.to_le_bytes().to_vec(),
                "digest of the `Idempotency-Key`" => vec![4; 32],
                "application group" => b"shop".to_vec(),
                "environment" => b"staging".to_vec(),
                "number of fingerprints" => 1_u16.to_le_bytes().to_vec(),
                "offset in the value of the message" => 5_u32.to_le_bytes().to_vec(),
                "fingerprint of the secret" => 6_u64.to_le_bytes().to_vec(),
                _ => {
                    length = usize::from(u16::from_le_bytes(field.try_into().unwrap()));
                    continue;
                }
            };
            assert_eq!(field, expected, "{about}");
        }
        assert!(rest.is_empty(), "the page leaves out {} bytes", rest.len());
        assert!(PAGE.contains(&format!("version: {}", FORMATS.newest)));
    }
    let fingerprints = Fingerprints::default();
    let tick = BatchHeaders { tick: true, every_record_timed: false, fingerprints, ..headers(None) };
    let mut bytes = Vec::new();
    headers::encode(&tick, &mut bytes);
    assert_eq!(bytes[1], 4, "the flag of a tick, and no fingerprints");
}

#[test]
fn the_partition_is_computed_as_the_page_says() {
    let id: [u8; 16] = [9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8];
    let tail = u64::from_be_bytes(*id.last_chunk().unwrap());
    for partitions in [1, 3, 64] {
        let expected = u16::try_from(tail % u64::from(partitions)).unwrap();
        assert_eq!(Partition::of_source(SourceId::from_bytes(id), partitions), Partition(expected));
    }
}
