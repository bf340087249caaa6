#![no_main]
//! Context scans of mails and messages: each check once, scores and places within their bounds, and the same result twice.
//!
//! The first byte selects the origin: a mail as it is, a page as the body of a mail, or a message.

use std::sync::{Arc, LazyLock};

use context::{Authentication, Brands, Engine, Mail, Message, Opened, Origin, score};
use libfuzzer_sys::fuzz_target;
use redact::{Policy, Redactor};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let redactor = Arc::new(Redactor::new(&Policy::default()).unwrap());
    Engine::load(include_bytes!("../../models/guard.plm"), redactor, Brands::built_in()).unwrap()
});

fn scored(origin: u8, content: &[u8]) -> Option<String> {
    let (origin, assessment) = match origin % 3 {
        0 | 1 => {
            let head: &[u8] = if origin % 3 == 1 {
                b"From: a@sender.example\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            } else {
                b""
            };
            let mail = Mail::read(&[head, content].concat()).ok()?;
            (Origin::Email, ENGINE.email(&mail, Authentication::timed_out(), Opened::default()))
        }
        _ => {
            let text = String::from_utf8_lossy(content).into_owned();
            (Origin::Message, ENGINE.message(&Message { channel: None, links: Vec::new(), text }))
        }
    };
    let mut ids: Vec<&str> = assessment.checks.iter().map(|check| check.spec.id).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "each check once");
    let scored = score(origin, &assessment);
    assert!(scored.score <= 100);
    for threat in &scored.threats {
        assert!(threat.excerpt.as_ref().is_none_or(|excerpt| excerpt.chars().count() <= 160));
    }
    Some(format!("{scored:?} {:?}", assessment.checks))
}

fuzz_target!(|input: &[u8]| {
    let Some((origin, content)) = input.split_first() else { return };
    assert_eq!(scored(*origin, content), scored(*origin, content));
});
