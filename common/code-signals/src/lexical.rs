//! Signs in the text of a file that need no syntax: invisible characters, encoded literals, forms of obfuscators.

use crate::findings::{Findings, FoundChain};
use crate::program::File;
use crate::report::{CapabilityKind, Severity, Threat, Time};
use crate::source::{Context, Language};

/// Characters of a literal from which it counts as long and encoded.
const LONG_LITERAL: usize = 4_000;
/// Mean length of a line from which a file counts as minified.
const MINIFIED: usize = 400;
/// Invisible characters in a row that can hold data.
const HIDDEN_RUN: usize = 12;

/// Adds the signs of a file.
pub(crate) fn signs(file: &File<'_>, number: u32, findings: &mut Findings) {
    let text = file.content;
    let add = |findings: &mut Findings, kind, line: u32, detail: &str| {
        findings.capability(kind, number, line, file.time, detail)
    };
    let chain = |findings: &mut Findings, rule, severity, line: u32, text: &str| {
        if file.context == Context::Code {
            findings.chain(FoundChain {
                rule,
                severity,
                threat: Threat::Obfuscation,
                source: (number, line),
                sink: (number, line),
                time: file.time,
                explanation: text.to_owned(),
            });
        }
    };
    if let Some(at) = hidden_data(text) {
        let line = line_of(text, at);
        add(findings, CapabilityKind::InvisibleUnicode, line, "a run of characters that are not shown");
        chain(
            findings,
            "hidden-data",
            Severity::High,
            line,
            "Data is hidden in a run of characters that are not shown.",
        );
    } else if let Some(at) = reordering(text) {
        let line = line_of(text, at);
        add(findings, CapabilityKind::InvisibleUnicode, line, "characters that reorder the text");
        chain(
            findings,
            "reordered-text",
            Severity::Medium,
            line,
            "Characters that reorder the text make the code look different from how it executes.",
        );
    }
    if let Some(at) = long_literal(text) {
        let line = line_of(text, at);
        add(findings, CapabilityKind::EncodedLiteral, line, "a long encoded literal");
        chain(findings, "encoded-literal", Severity::Low, line, "A long literal is encoded.");
    }
    let lines = memchr::memchr_iter(b'\n', text).count() + 1;
    if text.len() > 2_000 && text.len() / lines > MINIFIED {
        add(findings, CapabilityKind::Minified, 1, "long lines");
    }
    if let Some((name, strength)) = obfuscated(file) {
        add(findings, CapabilityKind::Obfuscated, 1, name);
        let severity = match (strength, file.time) {
            (Strength::Sure, _) => Severity::High,
            (Strength::Likely, Time::Install) => Severity::High,
            (Strength::Likely, _) => Severity::Medium,
        };
        chain(
            findings,
            "obfuscator-form",
            severity,
            1,
            &format!("The code has the form that obfuscators produce: {name}."),
        );
    }
}

/// Whether a text has characters that hide data or reorder it.
pub(crate) fn has_hidden_characters(text: &[u8]) -> bool {
    hidden_data(text).is_some() || reordering(text).is_some()
}

fn line_of(text: &[u8], at: usize) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text.get(..at).unwrap_or_default()).count() + 1)
        .unwrap_or(u32::MAX)
}

/// Start of a run of variation selectors, tag characters or zero-width characters.
fn hidden_data(text: &[u8]) -> Option<usize> {
    let mut run = 0;
    let mut at = 0;
    let mut start = 0;
    // All of them have lead bytes 0xE2, 0xEF or 0xF3; ordinary text is skipped at once.
    while let Some(next) = memchr::memchr3(0xE2, 0xEF, 0xF3, text.get(at..)?) {
        let place = at + next;
        if next > 0 {
            run = 0;
        }
        let length = match text.get(place..)? {
            [0xE2, 0x80, 0x8B..=0x8F, ..] | [0xE2, 0x81, 0xA0..=0xA4, ..] => 3,
            [0xEF, 0xB8, 0x80..=0x8F, ..] | [0xEF, 0xBB, 0xBF, ..] => 3,
            [0xF3, 0xA0, 0x80..=0x87, 0x80..=0xBF, ..] => 4,
            _ => 0,
        };
        if length == 0 {
            run = 0;
            at = place + 1;
            continue;
        }
        if let Some(flag) = flag_of_region(text, place) {
            run = 0;
            at = place + flag;
            continue;
        }
        if run == 0 {
            start = place;
        }
        run += 1;
        if run >= HIDDEN_RUN {
            return Some(start);
        }
        at = place + length;
    }
    None
}

/// Length of the tags of a region's flag at a place: behind a black flag, at most six letters or figures, and the end (Unicode Technical
/// Standard 51, section 1.4.6).
fn flag_of_region(text: &[u8], place: usize) -> Option<usize> {
    const MOST_TAGS: usize = 6;
    if !text.get(..place)?.ends_with("\u{1f3f4}".as_bytes()) {
        return None;
    }
    let (tags, _) = text.get(place..)?.as_chunks::<4>();
    let end = tags.iter().take(MOST_TAGS + 1).position(|tag| tag == &[0xF3, 0xA0, 0x81, 0xBF])?;
    let are_tags = tags.iter().take(end).all(|tag| matches!(tag, [0xF3, 0xA0, 0x80 | 0x81, _]));
    are_tags.then_some((end + 1) * 4)
}

/// Lines of minified code have such characters in tables of letters; nobody reads them as text.
fn in_short_line(text: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(MINIFIED);
    let before = text.get(from..at).unwrap_or_default();
    from == 0 || memchr::memchr(b'\n', before).is_some()
}

/// Bidirectional overrides and isolates.
fn reordering(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(0xE2, text).filter(|at| in_short_line(text, *at)).find(|at| {
        matches!(text.get(*at..), Some([0xE2, 0x80, 0xAA..=0xAE, ..] | [0xE2, 0x81, 0xA6..=0xA9, ..]))
    })
}

/// Start of a literal of one long word of base64 or hexadecimal digits.
fn long_literal(text: &[u8]) -> Option<usize> {
    let is_digit =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'\\');
    // The last byte of a place decides first: a byte that is no digit ends all literals around it, so that most are not looked at.
    let mut start = 0;
    while let Some(place) = text.get(start..start + LONG_LITERAL) {
        match place.iter().rposition(|byte| !is_digit(byte)) {
            Some(end) => start += end + 1,
            None => return Some(start),
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Likely,
    Sure,
}

/// The form of an obfuscator, by the density of its names.
fn obfuscated(file: &File<'_>) -> Option<(&'static str, Strength)> {
    let text = file.content;
    match file.language? {
        Language::JavaScript | Language::TypeScript => {
            let hexadecimal =
                memchr::memmem::find_iter(text, b"_0x").filter(|at| is_hexadecimal_name(text, *at)).count();
            if hexadecimal >= 20 && text.len() / hexadecimal < 400 {
                return Some(("names of hexadecimal digits", Strength::Sure));
            }
            if hexadecimal >= 8 && text.len() / hexadecimal < 120 {
                return Some(("names of hexadecimal digits", Strength::Likely));
            }
            if has_rotated_table(text) {
                return Some(("a table of strings that is rotated", Strength::Sure));
            }
            let brackets =
                text.iter().filter(|byte| matches!(byte, b'[' | b']' | b'(' | b')' | b'+' | b'!')).count();
            if text.len() > 2_000 && brackets * 100 / text.len() > 90 {
                return Some(("brackets only", Strength::Sure));
            }
            (memchr::memmem::find(text, b"(function(p,a,c,k,e,").is_some()
                && memchr::memmem::find(text, b"eval(").is_some())
            .then_some(("a packer", Strength::Likely))
        }
        Language::Python => {
            if memchr::memmem::find(text, b"__pyarmor__").is_some()
                || memchr::memmem::find(text, b"pyarmor_runtime").is_some()
            {
                return Some(("an encrypted program", Strength::Sure));
            }
            let confusing = confusable_names(text);
            (confusing >= 40 && text.len() / confusing < 200)
                .then_some(("names of look-alike letters", Strength::Sure))
        }
        _ => None,
    }
}

/// A table of strings that is rotated until a sum of numbers in it is right, `t.push(t.shift())` in a loop that tries.
fn has_rotated_table(text: &[u8]) -> bool {
    const FORMS: [(&[u8], &[u8]); 2] = [(b"['push'](", b"['shift']())"), (b".push(", b".shift())")];
    /// Characters before the rotation that hold the sum.
    const SUM: usize = 800;
    FORMS.iter().any(|(push, shift)| {
        memchr::memmem::find_iter(text, push).any(|at| {
            let after = text.get(at + push.len()..).unwrap_or_default();
            let name = after.iter().position(|byte| !is_letter(*byte)).unwrap_or(0);
            let rotates = name > 0 && after.get(name..).is_some_and(|rest| rest.starts_with(shift));
            let sum = text.get(at.saturating_sub(SUM)..at).unwrap_or_default();
            rotates && memchr::memmem::find_iter(sum, b"parseInt(").take(5).count() >= 5
        })
    })
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

fn is_hexadecimal_name(text: &[u8], at: usize) -> bool {
    text.get(at + 3..at + 7).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Letters that look like each other.
const fn is_confusing(byte: u8) -> bool {
    matches!(byte, b'I' | b'l' | b'1' | b'O' | b'0' | b'_' | b'i')
}

/// Names of at least eight letters that are only `I`, `l`, `1`, `O`, `0` or underscores. A name that the end of the text ends
/// is not counted.
fn confusable_names(text: &[u8]) -> usize {
    let is_mixed = |name: &[u8]| {
        name.windows(2).any(|pair| matches!(pair, [one, other @ (b'I' | b'l' | b'O')] if one != other))
    };
    let mut count = 0;
    let mut rest = text;
    // Most names begin with another letter, and are passed over.
    while let Some(start) = rest.iter().position(|byte| IN_NAME[usize::from(*byte)]) {
        let name = rest.get(start..).unwrap_or_default();
        let confusing = name.iter().position(|byte| !is_confusing(*byte)).unwrap_or(name.len());
        let (confusing, after) = name.split_at(confusing);
        let Some(end) = after.iter().position(|byte| !IN_NAME[usize::from(*byte)]) else { break };
        count += usize::from(end == 0 && confusing.len() >= 8 && is_mixed(confusing));
        rest = after.get(end..).unwrap_or_default();
    }
    count
}

/// Whether a byte is part of a name.
const IN_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};
