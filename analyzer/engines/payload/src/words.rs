//! A line to words: names and their parts, members, and the form of literals.
//!
//! Names of hosts and encoded texts are no words: they differ in each attack. Their form is one.

/// Letters of the shortest and longest word.
const SHORTEST: usize = 2;
const LONGEST: usize = 40;
/// Characters from which on a run of letters and digits is an encoded text.
const ENCODED: usize = 60;

/// Words by which a dotted name is known to be a host.
const ZONES: [&[u8]; 14] = [
    b"com", b"net", b"org", b"io", b"dev", b"app", b"example", b"test", b"invalid", b"xyz", b"ru", b"cn",
    b"site", b"top",
];

/// Gives each word of a line to `each`, in lower case.
pub(crate) fn words(line: &[u8], each: &mut impl FnMut(&str)) {
    let mut word = Words { before: None, buffer: String::new() };
    let mut place = 0;
    while let Some(byte) = line.get(place) {
        let rest = line.get(place..).unwrap_or_default();
        if rest.starts_with(b"://") {
            let host = length(rest.get(3..).unwrap_or_default(), is_of_host);
            each(if is_numeric(rest.get(3..3 + host).unwrap_or_default()) {
                "«address»"
            } else {
                "«url»"
            });
            word.before = None;
            place += 3 + host;
        } else if rest.starts_with(b"\\x") || rest.starts_with(b"\\u") {
            each("«escape»");
            place += 2 + length(rest.get(2..).unwrap_or_default(), |byte| byte.is_ascii_hexdigit());
        } else if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') {
            let run = length(rest, is_of_name);
            place += word.run(line, (place, run), each);
        } else {
            if *byte != b'.' {
                word.before = None;
            }
            place += 1;
        }
    }
}

struct Words {
    /// The name before a dot.
    before: Option<String>,
    buffer: String,
}

impl Words {
    /// Reads a run of characters of names and returns the bytes that were read.
    fn run(&mut self, line: &[u8], (place, run): (usize, usize), each: &mut impl FnMut(&str)) -> usize {
        let rest = line.get(place..).unwrap_or_default();
        // Runs are measured once, at their beginning: that of each name within them is the same.
        let is_within =
            place.checked_sub(1).and_then(|before| line.get(before)).is_some_and(|byte| is_of_host(*byte));
        let dotted = if is_within { 0 } else { length(rest, is_of_host) };
        let host = rest.get(..dotted).unwrap_or_default();
        if is_numeric(host) && host.iter().filter(|byte| **byte == b'.').count() == 3 {
            each("«address»");
            return dotted;
        }
        if is_host(host) && is_quoted(line, place, dotted) {
            each("«host»");
            return dotted;
        }
        let is_of_encoding = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let is_within = place
            .checked_sub(1)
            .and_then(|before| line.get(before))
            .is_some_and(|byte| is_of_encoding(*byte));
        let encoded = if is_within { 0 } else { length(rest, is_of_encoding) };
        if encoded >= ENCODED {
            each("«encoded»");
            self.before = None;
            return encoded;
        }
        let name = rest.get(..run).unwrap_or_default();
        self.name(name, line.get(place.wrapping_sub(1)) == Some(&b'.'), each);
        run
    }

    /// A name, its parts, and its connection with the name before a dot.
    fn name(&mut self, name: &[u8], is_member: bool, each: &mut impl FnMut(&str)) {
        if !(SHORTEST..=LONGEST).contains(&name.len()) || name.iter().all(u8::is_ascii_digit) {
            self.before = None;
            return;
        }
        let is_hexadecimal = name.starts_with(b"_0x");
        let mut whole = String::from_utf8_lossy(name).into_owned();
        whole.make_ascii_lowercase();
        if is_hexadecimal {
            "«obfuscated name»".clone_into(&mut whole);
        }
        each(&whole);
        if let (true, Some(before)) = (is_member, self.before.take()) {
            self.buffer.clear();
            self.buffer.push_str(&before);
            self.buffer.push('.');
            self.buffer.push_str(&whole);
            each(&self.buffer);
        }
        if !is_hexadecimal {
            self.parts(name, each);
        }
        self.before = Some(whole);
    }

    /// Parts of a compound name: `getUserName` and `get_user_name` have three.
    fn parts(&mut self, name: &[u8], each: &mut impl FnMut(&str)) {
        let mut start = 0;
        let mut found = 0;
        for place in 1..=name.len() {
            let (before, here) = (name.get(place - 1), name.get(place));
            let ends = match (before, here) {
                (_, None | Some(b'_' | b'$')) => true,
                (Some(before), Some(here)) => {
                    before.is_ascii_lowercase() && here.is_ascii_uppercase()
                        || matches!(before, b'_' | b'$')
                        || before.is_ascii_digit() != here.is_ascii_digit()
                }
                (None, Some(_)) => false,
            };
            if !ends {
                continue;
            }
            let part = name.get(start..place).unwrap_or_default();
            start = place;
            let is_whole = part.len() == name.len();
            if part.len() > 2 && !is_whole && found < 6 && part.iter().all(u8::is_ascii_alphabetic) {
                found += 1;
                self.buffer.clear();
                self.buffer.extend(part.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
                each(&self.buffer);
            }
        }
    }
}

fn length(text: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|byte| !is_part(*byte)).unwrap_or(text.len())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

fn is_numeric(host: &[u8]) -> bool {
    !host.is_empty() && host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') && host.contains(&b'.')
}

/// Whether a quotation mark stands directly before.
fn is_quoted(line: &[u8], place: usize, length: usize) -> bool {
    let is_mark = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\'' | b'`' | b'@'));
    let before = place.checked_sub(1).and_then(|before| line.get(before));
    is_mark(before) || before == Some(&b'.') && is_mark(line.get(place + length))
}

fn is_host(name: &[u8]) -> bool {
    let zone = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    zone.len() < name.len() && ZONES.contains(&zone)
}
