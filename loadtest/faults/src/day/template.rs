//! Texts with placeholders that are filled at random. A placeholder is written `<…>`:
//!
//! - `<lo..hi>`: a whole number, both ends included; `<a|b|c>`: one of these;
//! - `<hex 16>`, `<base64 43>`: so many digits; `<uuid>`;
//! - `<syslog>`, `<iso>`, `<clf>`, `<seconds>`, `<millis>`: the time of the line; `<micros>`, six digits;
//! - `<person>`, `<person.mail>`, `<web2>`: who plays the part, the same throughout a scene;
//! - `<name>`: a line drawn from the list of that name, filled in turn, or the text stored under it;
//! - `<name=…>`: any of these, kept under a name for the rest of the scene; `<lt>`: the sign itself.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rand::RngExt;
use rand::rngs::StdRng;
use thiserror::Error;

use super::company::{self, Actor};

/// Lists may draw from lists, so deep.
const MAX_DEPTH: u8 = 4;
const HEX: &[u8] = b"0123456789abcdef";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A text that cannot be filled.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{text:?}: {what}")]
pub(crate) struct TemplateError {
    text: String,
    what: String,
}

/// Lines to draw from, by name.
pub(crate) type Lists<'t> = BTreeMap<&'t str, Vec<&'t str>>;

/// State of a scene so far: its participants, and named texts.
pub(crate) struct Filling<'t, 'c> {
    lists: &'c Lists<'t>,
    chance: &'c mut StdRng,
    kept: BTreeMap<String, Actor>,
}

impl<'t, 'c> Filling<'t, 'c> {
    pub(crate) fn new(lists: &'c Lists<'t>, chance: &'c mut StdRng) -> Self {
        Self { lists, chance, kept: BTreeMap::new() }
    }

    /// A whole number between two, included.
    pub(crate) fn number(&mut self, lo: u64, hi: u64) -> u64 {
        self.chance.random_range(lo..=hi.max(lo))
    }

    /// The participant of a part, if one was drawn.
    pub(crate) fn cast(&self, part: &str) -> Option<&str> {
        self.kept.get(part).map(|actor| actor.value.as_str())
    }

    /// Fills a text.
    ///
    /// # Errors
    /// [`TemplateError`], which names the unknown placeholder.
    pub(crate) fn fill(&mut self, text: &str, at_ms: i64) -> Result<String, TemplateError> {
        let mut filled = String::with_capacity(text.len() * 2);
        self.fill_into(text, at_ms, MAX_DEPTH, &mut filled).map_err(|what| {
            let text = text.chars().take(120).collect();
            TemplateError { text, what }
        })?;
        Ok(filled)
    }

    fn fill_into(&mut self, text: &str, at_ms: i64, depth: u8, out: &mut String) -> Result<(), String> {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            let (place, after) = after.split_once('>').ok_or("a place is not closed")?;
            out.push_str(before);
            match place.split_once('=').filter(|(name, _)| is_name(name)) {
                Some((name, place)) => {
                    let value = self.value(place, at_ms, depth)?;
                    out.push_str(&value);
                    self.kept.insert(name.to_owned(), Actor::plain(value));
                }
                None => out.push_str(&self.value(place, at_ms, depth)?),
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(())
    }

    fn value(&mut self, place: &str, at_ms: i64, depth: u8) -> Result<String, String> {
        if let Some(drawn) = self.drawn(place) {
            return Ok(drawn);
        }
        if let Some(time) = time(place, at_ms) {
            return Ok(time);
        }
        if let Some(lines) = self.lists.get(place) {
            let line = *lines.get(self.chance.random_range(0..lines.len().max(1))).ok_or("an empty list")?;
            let deeper = depth.checked_sub(1).ok_or("lists draw from each other without end")?;
            let mut filled = String::new();
            self.fill_into(line, at_ms, deeper, &mut filled)?;
            return Ok(filled);
        }
        let (part, name) = place.split_once('.').map_or((place, None), |(part, name)| (part, Some(name)));
        if !self.kept.contains_key(part) {
            let actor = company::draw(part, self.chance).ok_or_else(|| format!("unknown place <{place}>"))?;
            self.kept.insert(part.to_owned(), actor);
        }
        let told = self.kept.get(part).and_then(|actor| actor.tell(name));
        told.map(str::to_owned).ok_or_else(|| format!("nothing known of <{place}>"))
    }

    /// Placeholders that need only randomness.
    fn drawn(&mut self, place: &str) -> Option<String> {
        if let Some((lo, hi)) = range(place) {
            return Some(self.number(lo, hi).to_string());
        }
        if place.contains('|') {
            let choices: Vec<&str> = place.split('|').collect();
            return choices
                .get(self.chance.random_range(0..choices.len()))
                .map(|choice| (*choice).to_owned());
        }
        let counted = |prefix: &str| place.strip_prefix(prefix)?.parse::<usize>().ok();
        if let Some(count) = counted("hex ") {
            return Some(self.digits(HEX, count));
        }
        if let Some(count) = counted("base64 ") {
            return Some(self.digits(BASE64, count));
        }
        match place {
            "lt" => Some("<".to_owned()),
            "uuid" => {
                let mut part = |count| self.digits(HEX, count);
                Some(format!("{}-{}-4{}-a{}-{}", part(8), part(4), part(3), part(3), part(12)))
            }
            "micros" => Some(self.digits(b"0123456789", 6)),
            _ => None,
        }
    }

    fn digits(&mut self, of: &[u8], count: usize) -> String {
        (0..count).map(|_| char::from(of[self.chance.random_range(0..of.len())])).collect()
    }
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `lo..hi`.
pub(crate) fn range(text: &str) -> Option<(u64, u64)> {
    let (lo, hi) = text.split_once("..")?;
    Some((lo.parse().ok()?, hi.parse().ok()?))
}

fn time(place: &str, at_ms: i64) -> Option<String> {
    let at = Timestamp::from_millisecond(at_ms).ok()?;
    Some(match place {
        "syslog" => at.strftime("%b %e %H:%M:%S").to_string(),
        "iso" => at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        "clf" => at.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
        "seconds" => (at_ms / 1_000).to_string(),
        "millis" => at_ms.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const AT: i64 = 1_795_165_811_250;

    fn filled(text: &str) -> Result<String, TemplateError> {
        let lists = Lists::from([("page", vec!["/item/<7..7>"]), ("endless", vec!["<endless>"])]);
        Filling::new(&lists, &mut StdRng::seed_from_u64(3)).fill(text, AT)
    }

    #[test]
    fn places_are_filled() {
        let wanted = [
            ("no place", "no place"),
            ("<5..5> <a|a> <lt>b>", "5 a <b>"),
            ("<page>", "/item/7"),
            ("<a b=c|a b=c>", "a b=c"),
            ("<clf> <seconds>", "20/Nov/2026:09:10:11 +0000 1795165811"),
            ("<iso> <syslog>", "2026-11-20T09:10:11.250Z Nov 20 09:10:11"),
            ("", ""),
        ];
        for (text, expected) in wanted {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(filled("<hex 12>").unwrap().len(), 12);
    }

    #[test]
    fn a_scene_has_one_cast_and_keeps_what_it_names() {
        let text = filled("<p=1..999999> <p> <person> <person> <person.mail>").unwrap();
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!((words[0], words[2]), (words[1], words[3]));
        assert_eq!(words[4], format!("{}@corp.example", words[2]));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for text in ["<nobody>", "<open", "<person.shoe>", "<endless>"] {
            assert!(filled(text).is_err(), "{text}");
        }
    }
}
