//! The task of this crate in a real sandbox: a system call that its libraries need and the allow list lacks would end it. This
//! program is its own child.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use sandbox::{Bounds, Sandbox};
use web::parse::{
    MOST_REPLIES, MOST_REPLY_BYTES, Purpose, Reading, Reply, decode_readings, encode_batch, read_batch,
};

/// As in the product: it reserves address space before any limit can be set.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sandbox::enter_if_asked(&web::sandbox_tasks());
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let trials = vec![
        trial("every purpose is read as outside of the sandbox", every_purpose),
        trial("a batch of the largest replies keeps the limits", largest_batch),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn reply(request: u32, purpose: Purpose, body: Vec<u8>) -> Reply {
    Reply {
        request,
        url: "https://a.test/".into(),
        base: "https://a.test/".into(),
        purpose,
        status: 200,
        headers: vec![("server".into(), "nginx/1.25.3".into())],
        body,
        certificate: vec![],
    }
}

fn in_sandbox(batch: &[u8]) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 0 });
    runtime.block_on(sandbox.run(&web::READ_REPLIES, batch)).unwrap()
}

fn every_purpose() {
    let bodies = [
        "Sitemap: /m",
        "<loc>https://a.test/x</loc>",
        "openapi: 3.0.0\npaths: {/y: {get: {}}}",
        "f('/api/z')",
        "<a href=/p>",
    ];
    let replies: Vec<Reply> = (0..)
        .zip(Purpose::ALL)
        .zip(bodies)
        .map(|((number, purpose), body)| reply(number, purpose, body.into()))
        .collect();
    let batch = encode_batch(&replies);
    assert_eq!(in_sandbox(&batch), read_batch(&batch));
}

fn largest_batch() {
    let body =
        b"<a href=/page>p</a><p>text</p>".iter().copied().cycle().take(MOST_REPLY_BYTES).collect::<Vec<u8>>();
    let replies: Vec<Reply> =
        (0..MOST_REPLIES).map(|number| reply(number as u32, Purpose::Page, body.clone())).collect();
    let readings: Vec<Reading> = decode_readings(&in_sandbox(&encode_batch(&replies))).unwrap();
    assert!(readings.len() == MOST_REPLIES && readings.iter().all(|reading| !reading.links.is_empty()));
}
