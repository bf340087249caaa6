//! Recall on pretexts and errors on ordinary texts, on texts that were written for this purpose. The model of pretexts learned from all of
//! them, so that the assertions hold the engine as a whole to its training; `palisade-train report pretext` measures the model on authors
//! that it did not learn from.

use std::fs;
use std::path::Path;

use documents::Mail;

use super::engine;
use crate::artifact::{Origin, Tolerance, Verdict};
use crate::config::Config;
use crate::content::Opened;
use crate::email::{NoNames, authenticate};
use crate::message::Message;
use crate::score::{Scored, score, verdict};

/// A text with its file.
struct Entry {
    topic: String,
    text: String,
}

fn entries(kind: &str, part: &str) -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(kind).join(part);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let of = |file: &std::path::PathBuf| {
        let topic = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(file).unwrap();
        let of_topic = move |text: &str| Entry { topic: topic.clone(), text: text.trim().to_owned() };
        text.split("\n%%\n").map(of_topic).collect::<Vec<_>>()
    };
    files.iter().flat_map(of).collect()
}

/// The text as a mail, in HTML where it has links with a text; without headers, as a message.
async fn scored(text: &str) -> Scored {
    if !text.starts_with("From:") {
        let message = Message { channel: None, links: Vec::new(), text: text.to_owned() };
        return score(Origin::Message, &engine().message(&message));
    }
    let (headers, body) = text.split_once("\n\n").unwrap();
    let headers: String = headers.lines().map(encoded).collect();
    let raw = if body.contains("](") {
        format!("{headers}MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}", html(body))
    } else {
        format!("{headers}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}")
    };
    let mail = Mail::read(raw.as_bytes()).unwrap();
    let authentication = authenticate(raw.as_bytes(), &mail, &NoNames, &Config::default()).await;
    score(Origin::Email, &engine().email(&mail, authentication, Opened::default()))
}

fn encoded(line: &str) -> String {
    format!("{line}\r\n")
}

fn html(body: &str) -> String {
    let mut html = String::new();
    let mut rest = body;
    while let Some(start) = rest.find('[') {
        let link =
            rest[start..].split_once("](").and_then(|(text, after)| Some((text, after.split_once(')')?)));
        let Some((text, (target, after))) = link else { break };
        html.push_str(&rest[..start]);
        html.push_str(&format!("<a href=\"{target}\">{}</a>", &text[1..]));
        rest = after;
    }
    html.push_str(rest);
    format!("<p>{}</p>", html.replace("\n\n", "</p><p>"))
}

/// Number of texts, and of those that are suspicious or worse; prints the others.
async fn suspicious(kind: &str, part: &str, expected: bool) -> (usize, usize) {
    let (mut all, mut found) = (0, 0);
    for entry in entries(kind, part) {
        let scored = scored(&entry.text).await;
        let is_suspicious =
            verdict(scored.score, scored.floor, Tolerance::Conservative) >= Verdict::Suspicious;
        all += 1;
        found += usize::from(is_suspicious);
        if is_suspicious != expected {
            let first: String = entry.text.replace('\n', " ").chars().take(150).collect();
            println!("{part} {kind} {}: {} {first}", entry.topic, scored.score);
            for threat in scored.threats {
                println!("    {:?} {:?} {}", threat.kind, threat.severity, threat.detail);
            }
        }
    }
    println!("{kind}, {part}: {found} of {all} suspicious or worse");
    (all, found)
}

#[tokio::test]
async fn pretexts_are_suspicious_and_ordinary_texts_are_not() {
    for part in ["development", "held-out", "unseen", "last"] {
        let (all, found) = suspicious("phishing", part, true).await;
        assert!(all >= 40 && found * 100 >= all * 90, "{part}: {found} of {all} pretexts");
        let (all, found) = suspicious("ordinary", part, false).await;
        assert!(all >= 70 && found * 100 <= all, "{part}: {found} of {all} ordinary texts");
    }
}
