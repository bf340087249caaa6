//! CPU time of context scans: a message of 4 KiB, a newsletter of 100 KiB with 24 KiB of text, a PDF of 1 MiB. That of the PDF includes the
//! sandboxed children.
//!
//! `cargo run --release -p context --example figures`
#![expect(clippy::unwrap_used, reason = "a measurement that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "the figure is the result")]

#[path = "../../../common/documents/tests/pdf/written.rs"]
#[expect(dead_code, reason = "shared with tests")]
mod written;

use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use common::clock::{Clock, SystemClock};
use context::{
    Authentication, Brands, Config, Engine, Mail, Message, NoNames, OfflineOrigin, Opened, Origin, Reading,
    Tolerance, scan_offline, score,
};
use pdf_writer::{Content, Ref};
use redact::{Policy, Redactor};
use sandbox::{Bounds, Sandbox};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static MODEL: &[u8] = include_bytes!("../../../models/guard.plm");
/// Scans of each kind, of which the mean is printed; the clock of processes has steps of 10 ms.
const MESSAGES: u32 = 500;
const MAILS: u32 = 100;
const PDFS: u32 = 20;
/// Steps of that clock in a second, on every Linux architecture.
const TICKS: u64 = 100;

/// Sentences of an ordinary text, none like the other.
fn prose(size: usize) -> String {
    const WHO: [&str; 7] =
        ["The team", "Our supplier", "A customer", "The city", "Anna", "The new reader", "Nobody"];
    const DOES: [&str; 6] = ["has sent", "will check", "forgot", "is waiting for", "moved", "asked about"];
    const WHAT: [&str; 9] = [
        "the invoice of March",
        "a parcel with two keyboards",
        "the instructions for the printer",
        "your account of travel costs",
        "the meeting on Thursday",
        "a list of open questions",
        "the offer for the workshop",
        "the picture on page four",
        "the password policy",
    ];
    const WHEN: [&str; 5] =
        ["since last week", "before noon", "with many thanks", "in the usual way", "as agreed by phone"];
    let mut text = String::new();
    let mut number = 0;
    while text.len() < size {
        let pick = |list: &[&'static str]| list.get(number % list.len()).copied().unwrap_or_default();
        write!(text, "{} {} {} {}, number {number}. ", pick(&WHO), pick(&DOES), pick(&WHAT), pick(&WHEN))
            .unwrap();
        number += 1;
        if number % 5 == 0 {
            text.push('\n');
        }
    }
    text.truncate(size);
    text
}

/// A newsletter: 8 KiB of text, a page with 16 KiB of text in 60 KiB of markup with links, and a picture.
fn mail() -> Vec<u8> {
    let mut page =
        "<!doctype html><html><head><title>News</title><style>.c{color:#333}</style></head><body>".to_owned();
    for (number, line) in prose(16 << 10).lines().enumerate() {
        writeln!(
            page,
            "<table role=presentation width=100% style=\"border-collapse:collapse\"><tr><td class=c style=\"padding:4px 8px;color:#222222;\
             font-family:Arial,sans-serif;font-size:14px;line-height:20px\"><a href=\"https://click.shop{}.example/offer/{number}\">\
             offer {number}</a> {line}</td></tr></table>",
            number % 12
        )
        .unwrap();
    }
    page.push_str("</body></html>");
    let picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9\r\n";
    let picture = picture.repeat((100_usize << 10).saturating_sub(page.len() + (8 << 10)) / picture.len());
    format!(
        "From: Shop <news@shop.example>\r\nSubject: News\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n\
         --a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n{}\r\n\
         --b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--b--\r\n\
         --a\r\nContent-Type: image/png; name=logo.png\r\nContent-Transfer-Encoding: base64\r\n\r\n{picture}\r\n--a--\r\n",
        prose(8 << 10)
    )
    .into_bytes()
}

/// A report: 80 pages with 160 KiB of text, and pictures.
fn pdf() -> Vec<u8> {
    let text = prose(160 << 10);
    let lines: Vec<&str> = text.lines().collect();
    let page = |lines: &[&str]| {
        let mut content = Content::new();
        for (line, y) in lines.iter().zip(0_u8..) {
            // As wide as a page permits.
            for (part, x) in line.as_bytes().chunks(90).zip(0_u8..) {
                let part = String::from_utf8_lossy(part);
                written::text(
                    &mut content,
                    40.0,
                    760.0 - 40.0 * f32::from(y) - 12.0 * f32::from(x),
                    10.0,
                    &part,
                );
            }
        }
        content
    };
    let pages: Vec<Content> = lines.chunks(lines.len().div_ceil(80)).map(page).collect();
    let picture: Vec<u8> =
        (0..800_u32 << 10).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    written::document(&pages, |pdf| {
        pdf.catalog(written::CATALOG).pages(written::PAGES);
        pdf.stream(Ref::new(written::FREE), &picture);
    })
}

/// CPU time of this process and of its children that have ended (proc(5), fields 14 to 17 of `stat`).
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

fn measure(what: &str, times: u32, mut scan: impl FnMut()) {
    scan();
    let before = cpu();
    (0..times).for_each(|_| scan());
    println!("{what}: {:?} of CPU time", (cpu() - before) / times);
}

fn main() {
    sandbox::enter_if_asked(&documents::sandbox_tasks());
    let redactor = Arc::new(Redactor::new(&Policy::default()).unwrap());
    let engine = Engine::load(MODEL, redactor, Brands::built_in()).unwrap();
    let message = Message { channel: None, links: Vec::new(), text: prose(4 << 10) };
    measure("message of 4 KiB", MESSAGES, || {
        black_box(score(Origin::Message, &engine.message(black_box(&message))));
    });
    let raw = mail();
    measure(&format!("mail of {} KiB", raw.len() >> 10), MAILS, || {
        let mail = Mail::read(black_box(&raw)).unwrap();
        let assessment = engine.email(&mail, Authentication::timed_out(), Opened::default());
        black_box(score(Origin::Email, &assessment));
    });
    let pdf = pdf();
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 1 });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = Config::default();
    let reading = Reading { names: &NoNames, sandbox: &sandbox, config: &config };
    let choices = (Tolerance::Conservative, SystemClock::new().now());
    measure(&format!("PDF of {} KiB", pdf.len() >> 10), PDFS, || {
        let input = (OfflineOrigin::File, None, pdf.clone());
        let result = runtime.block_on(scan_offline(&engine, &reading, input, choices)).unwrap();
        assert!(result.contains("\"skipped\":[]"), "{result}");
    });
}
