//! Documents: pages of three sizes to runs with visibility, and a newsletter with an attachment to texts and facts.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::fmt::Write;
use std::hint::black_box;

use benches::thread_cpu::criterion;
use criterion::{BenchmarkId, Throughput};
use documents::{Html, Mail};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [(&str, usize); 3] = [("16 KiB", 16 << 10), ("128 KiB", 128 << 10), ("1 MiB", 1 << 20)];

/// A page with a style sheet of 300 rules and rows of a list, as shops have them.
fn page(size: usize) -> String {
    let mut page = "<!DOCTYPE html><html lang=en><head><title>Offers</title><style>".to_owned();
    for number in 0..300 {
        writeln!(
            page,
            ".c{number} .price, #i{number} > a {{ color: #333; margin: 0 {number}px; font-size: 14px }}"
        )
        .unwrap();
    }
    page.push_str("</style></head><body>");
    let mut number = 0;
    while page.len() < size {
        writeln!(
            page,
            "<div class=\"row c{0}\" id=\"i{0}\"><a href=\"/offers/{1}?from=list\" title=\"Offer {1}\"><img src=\"/images/{1}.jpg\" \
             alt=\"Picture of offer {1}\"></a><p style=\"color:#222;background-color:#fff;padding:4px\">The keyboard number {1} has \
             <b>quiet keys</b>, a long cable &amp; a warranty of two years.</p><span class=\"price\">{0} euros</span></div>",
            number % 300,
            number
        )
        .unwrap();
        number += 1;
    }
    page
}

/// A newsletter of 100 KiB: a text, a page of 24 KiB with text of a few KiB, a picture.
fn mail() -> Vec<u8> {
    let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9\r\n".repeat(830);
    format!(
        "Received: from mx.shop.test by mail.example.test; Mon, 6 May 2024 07:08:09 +0000\r\nFrom: Shop <news@shop.test>\r\n\
         To: ann@example.test\r\nSubject: =?utf-8?q?Neue_Angebote_f=C3=BCr_Sie?=\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}\r\n--b--\r\n\
         --a\r\nContent-Type: image/png; name=logo.png\r\nContent-Transfer-Encoding: base64\r\n\r\n{picture}\r\n--a--\r\n",
        "The keyboard has quiet keys, a long cable and a warranty of two years.\r\n".repeat(80),
        page(24 << 10),
    )
    .into_bytes()
}

fn main() {
    let mut criterion = criterion();
    let mut group = criterion.benchmark_group("documents");
    for (name, size) in SIZES {
        let page = page(size);
        group.throughput(Throughput::Bytes(page.len() as u64));
        group.bench_function(BenchmarkId::new("html", name), |bencher| {
            bencher.iter(|| black_box(Html::read(page.as_bytes(), Some("utf-8"))));
        });
    }
    let mail = mail();
    group.throughput(Throughput::Bytes(mail.len() as u64));
    group.bench_function(BenchmarkId::new("mail", "100 KiB"), |bencher| {
        bencher.iter(|| black_box(Mail::read(&mail).unwrap()));
    });
    group.finish();
    criterion.final_summary();
}
