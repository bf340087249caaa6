//! Private keys that are sent line by line.

use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message as _;

use super::{masks, sanitized, text, with_record};

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";

/// A line of a key, as long as in PEM; none is like another.
fn line(number: usize) -> String {
    format!("MIIE{number:04}aB3dE6gH9jK2+/aB3dE6gH9jK2+/aB3dE6gH9jK2+/aB3dE6gH9jK2+/")
}

fn logged(text: &str) -> String {
    format!("{{\"log\":\"{text}\"}}\n")
}

/// Lines of a drain, each with one text.
fn drained<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().map(logged).collect()
}

fn marked(text: &str) -> String {
    format!("«{text}»")
}

#[test]
fn every_line_up_to_the_end_is_masked() {
    let open = marked(BEGIN);
    let lines: Vec<String> = (0..30).map(|number| marked(&line(number))).collect();
    let short = marked("aB3=");
    let texts =
        [open.as_str()].into_iter().chain(lines.iter().map(String::as_str)).chain([short.as_str(), END]);
    // The rest is no part of the key.
    let word = line(99);
    masks(&drained(texts.clone().chain([word.as_str(), "started"])));
    // The elements of an array.
    let elements: Vec<String> = texts.map(|text| format!("\"{text}\"")).collect();
    masks(&format!("{{\"a\":[{},\"started\"]}}", elements.join(",")));
}

#[test]
fn headers_and_lines_of_several_in_one_text_belong_to_the_key() {
    let (first, both, last) =
        (marked("Proc-Type: 4,ENCRYPTED"), marked(&format!("{}\\n{}", line(1), line(2))), marked(&line(3)));
    masks(&drained([
        &*format!("key: {}", marked(BEGIN)),
        &first,
        &marked("DEK-Info: AES-128-CBC,AABBCC"),
        "",
        &both,
        &format!("{last}\\n{END}"),
        "Version: 3",
        "started",
    ]));
}

#[test]
fn log_headers_before_lines_are_kept() {
    let headers = [
        ("Jul  8 09:00:01 web-1 deploy[812]: ", "Jul 10 09:00:02 web-1 deploy[812]: "),
        (
            "<86>1 2026-07-08T09:00:01Z web-1 deploy 812 - - ",
            "<86>1 2026-07-08T09:00:02Z web-1 deploy 812 - - ",
        ),
        ("2026-07-08T09:00:01.000000001Z stdout F ", "2026-07-08T09:00:01.000000002Z stdout F "),
        ("INFO  ", "INFO  "),
    ];
    for (first, next) in headers {
        masks(&drained([
            &*format!("{first}{}", marked(BEGIN)),
            &format!("{next}{}", marked("Proc-Type: 4,ENCRYPTED")),
            &format!("{next}{}", marked(&line(1))),
            &format!("{next}session opened for root"),
            &format!("{next}{}", marked(&line(2))),
            &format!("{next}{}", marked("aB3=")),
            &format!("{next}{END}"),
            &format!("{next}{}", line(3)),
        ]));
    }
    // Another header, or none: a full line at the end of the text decides.
    masks(&drained([
        &*format!("web-1 deploy: {}", marked(BEGIN)),
        &format!("web-1 backup: {}", marked(&line(1))),
        "web-1 backup: /usr/lib/x86/Aa0/Bb1/Cc2/Dd3/Ee4/Ff5/Gg6",
        "web-1 backup: d41d8cd98f00b204e9800998ecf8427e",
        &marked(&line(2)),
        &format!("web-1 deploy: {}", marked(&line(3))),
    ]));
}

#[test]
fn texts_of_others_are_passed_over() {
    let foreign = ["session opened for root"; 8];
    let (open, one, two) = (marked(BEGIN), marked(&line(1)), marked(&line(2)));
    let (mut texts, lines) = (vec![open.as_str(), one.as_str()], [two.as_str(), END]);
    texts.extend(foreign);
    texts.extend(lines);
    masks(&drained(texts));
    // A text under another key neither is a line nor ends the key.
    let aside = format!("{{\"digest\":\"{}\",\"log\":\"{one}\"}}\n", line(7)).repeat(20);
    masks(&format!("{}{aside}{}", logged(&open), logged(&two)));
}

#[test]
fn a_key_without_its_end_is_given_up() {
    let open = marked(BEGIN);
    let mut texts = vec![open.as_str()];
    texts.extend(["session opened for root"; 9]);
    let late = line(1);
    texts.push(&late);
    masks(&drained(texts));
    let lines: String = (0..520)
        .map(|number| logged(&if number < 512 { marked(&line(number)) } else { line(number) }))
        .collect();
    masks(&format!("{}{lines}", logged(&open)));
}

#[test]
fn a_key_in_one_text_opens_nothing() {
    let whole = marked(&format!("{BEGIN}\\n{}\\n{END}", line(1)));
    masks(&drained([&*whole, &line(2)]));
    masks(&drained([&*marked(&format!("{BEGIN} was expected")), &line(2)]));
    masks(&drained(["-----BEGIN CERTIFICATE-----", &line(2)]));
}

#[test]
fn bodies_that_are_texts_belong_together() {
    let bodies = [BEGIN.to_owned(), line(1), "other".to_owned(), line(2), END.to_owned(), line(3)];
    let mut request = with_record(LogRecord::default());
    request.resource_logs = bodies
        .iter()
        .flat_map(|body| with_record(LogRecord { body: text(body), ..LogRecord::default() }).resource_logs)
        .collect();
    let (masked, _) = sanitized(&request.encode_to_vec());
    let holds = |text: &str| memchr::memmem::find(&masked, text.as_bytes()).is_some();
    assert_eq!(bodies.each_ref().map(|body| holds(body)), [false, false, true, false, true, true]);
}

/// The records of a key whose lines are in a frame, which has the number of the line for `#`.
fn framed(frame: &str) -> String {
    let escaped = frame.replace('\\', "\\\\").replace('"', "\\\"");
    let (before, behind) = escaped.split_once('~').unwrap();
    let lines = [BEGIN.to_owned(), line(1), line(2), line(3), "Kx2aB3dE6g==".to_owned()];
    let parts = lines.iter().enumerate().map(|(number, line)| {
        let at = |part: &str| part.replace('#', &(number + 8).to_string());
        logged(&format!("{}{}{}", at(before), marked(line), at(behind)))
    });
    let end = format!("{}{END}{}", before.replace('#', "13"), behind.replace('#', "13"));
    parts.chain([logged(&end), logged(&line(9))]).collect()
}

#[test]
fn what_stands_around_lines_differs_in_numbers() {
    for frame in [
        "2026-07-08T10:00:01.#Z ~",
        "[   12.#] ~",
        "<14>1 2026-07-08T10:00:01Z web-1 app 812 - [meta sequenceId=\"#\"] ~",
        "Jul  8 10:00:01 web-1 deploy[#]: ~",
        "deploy:~",
        "level=info ts=2026-07-08T10:00:#Z msg=\"~\"",
        r#"{"log":"~\n","stream":"stdout","time":"2026-07-08T10:00:#.1Z"}"#,
        "'~',",
        r#""~\n" +"#,
        r"~\n",
        r"~\r\n",
        "> ~",
        "    ~  ",
    ] {
        masks(&framed(frame));
    }
}

#[test]
fn prose_about_a_key_opens_nothing() {
    let named = format!("error: expected {}", marked(BEGIN));
    masks(&drained([&*named, "started", "d41d8cd98f00b204e9800998ecf8427e", "healthy"]));
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    masks(&drained([&*marked(BEGIN), "MIIE", "all fine", digest, "shutdown"]));
    // Words between the lines and after the last one.
    let (open, one, two) = (marked(BEGIN), marked(&line(1)), marked(&line(2)));
    masks(&drained([&*open, &one, "started", "healthy", &two, "done", "shutdown", "Started1x"]));
}

#[test]
fn a_key_of_putty_has_as_many_lines_as_it_says() {
    let (one, two, last) = (marked(&line(1)), marked(&line(2)), marked("Kx2aB3dE6g=="));
    for before in ["", "INFO  "] {
        let texts = ["PuTTY-User-Key-File-3: ssh-rsa", "Private-Lines: 3", &one, &two, &last, &line(3)];
        masks(&drained(texts.map(|text| format!("{before}{text}")).iter().map(String::as_str)));
    }
}
