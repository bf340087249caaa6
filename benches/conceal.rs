//! Redaction of texts for people and language models, with the model of the product: its stages, default kinds, all that a
//! caller may choose, and surrogates, by size of the text. The stages get what the stages before them made, and whole
//! includes everything.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::hint::black_box;

use benches::thread_cpu::{ThreadCpu, criterion};
use conceal::{Choice, Concealer, Form};
use criterion::{BenchmarkId, Criterion, Throughput};
use redact::identifiers::{Catalogue, EntitySet, replace};
use redact_names::NameModel;
use redact_names::surrogate::Rewriter;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static MODEL: &[u8] = include_bytes!("../models/names.plm");

const SIZES: [(&str, usize); 3] = [("1 KB", 1_000), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

/// Paragraphs of mail with and without personal data; a number makes each repetition another text.
const PARAGRAPHS: [&str; 5] = [
    "Dear Ms. Lindqvist,\n\nthank you for your order {n}. The parcel left our warehouse in Rotterdam on Tuesday and should reach you \
     within three working days. You can follow it at https://shop.example/orders/{n}?view=full.\n\n",
    "We could not charge your card 4111 1111 1111 1111. Please call +1 202-555-0143 or write to billing{n}@example.org before Friday, \
     otherwise the order will be cancelled and the amount returned.\n\n",
    "The quarterly report shows that sales grew by 12.4 percent, mostly because of the new product line. Costs fell by 3.1 percent. The \
     board will discuss the figures at its next meeting, and the managers of each region will present their plans.\n\n",
    "Tomasz Wieczorek spoke with the landlord about the lease of 12 High Street, London. He was born on 3 May 1984; his national insurance \
     number is not known yet. The file {n} has everything else that the office needs.\n\n",
    "When the service starts it reads its settings, opens the log and waits for requests. If the disk is full it answers with an error and \
     tries again after a minute; nothing is lost, since clients repeat what was not confirmed.\n\n",
];

fn text(size: usize) -> String {
    let mut text = String::with_capacity(size + 512);
    let mut number = 40_000;
    while text.len() < size {
        for paragraph in PARAGRAPHS {
            number += 1;
            text.push_str(&paragraph.replace("{n}", &number.to_string()));
        }
    }
    text.truncate(text.floor_char_boundary(size));
    text
}

fn stages(criterion: &mut Criterion<ThreadCpu>) {
    let (catalogue, model) = (Catalogue::new().unwrap(), NameModel::read(MODEL).unwrap());
    let concealer = Concealer::load(MODEL).unwrap();
    let (wanted, choice) = (EntitySet::default(), Choice::default());
    let mut group = criterion.benchmark_group("conceal/stages");
    for (name, size) in SIZES {
        let text = text(size);
        let known = catalogue.find_with_others(&text, &wanted);
        let mut spans = known.clone();
        spans.extend(model.find(&text, &known, &wanted));
        spans.retain(|span| wanted.contains(span.entity));
        spans.sort_by_key(|span| span.range.start);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("identifiers", name), |bencher| {
            bencher.iter(|| catalogue.find_with_others(black_box(&text), &wanted));
        });
        group.bench_function(BenchmarkId::new("names", name), |bencher| {
            bencher.iter(|| model.find(black_box(&text), &known, &wanted));
        });
        group.bench_function(BenchmarkId::new("replace", name), |bencher| {
            bencher.iter(|| replace(black_box(&text), &spans, &wanted));
        });
        group.bench_function(BenchmarkId::new("surrogates", name), |bencher| {
            bencher.iter(|| {
                let mut rewriter = Rewriter::new(black_box(&text), &spans, &wanted);
                spans.iter().map(|span| rewriter.surrogate(span).len()).sum::<usize>()
            });
        });
        group.bench_function(BenchmarkId::new("whole", name), |bencher| {
            let conceal = || concealer.conceal(&[black_box(&text)], &choice, Form::Placeholders, usize::MAX);
            bencher.iter(|| conceal().unwrap());
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = criterion();
    stages(&mut criterion);
    let concealer = Concealer::load(MODEL).unwrap();
    let some = ["names", "cities", "companies", "dates", "emails", "project names"].map(str::to_owned);
    let ways = [
        ("default", Choice::default(), Form::Placeholders),
        ("chosen", Choice::of(&some), Form::Placeholders),
        ("surrogates", Choice::default(), Form::Surrogates),
    ];
    for (way, choice, form) in ways {
        let mut group = criterion.benchmark_group(format!("conceal/{way}"));
        for (name, size) in SIZES {
            let text = text(size);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(|| concealer.conceal(&[black_box(&text)], &choice, form, usize::MAX).unwrap());
            });
        }
        group.finish();
    }
    let mut group = criterion.benchmark_group("conceal/one letter");
    for size in [64 << 10, 1 << 20] {
        let text = "a".repeat(size);
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            let choice = Choice::default();
            bencher.iter(|| {
                concealer.conceal(&[black_box(&text)], &choice, Form::Placeholders, usize::MAX).unwrap()
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
