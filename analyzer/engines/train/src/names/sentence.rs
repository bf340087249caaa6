//! Templates to tagged sentences.

use linear_model::Feature;

use super::lexicon::Lexicon;
use super::{Kind, Tagged};
use crate::seeded::Seeded;

/// Templates by language; a line that begins with `!` has no name although it has capitals.
const TEMPLATES: &[(&str, &str)] = &[
    ("en", include_str!("../../names/en.txt")),
    ("de", include_str!("../../names/de.txt")),
    ("fr", include_str!("../../names/fr.txt")),
    ("es", include_str!("../../names/es.txt")),
    ("pt", include_str!("../../names/pt.txt")),
    ("it", include_str!("../../names/it.txt")),
    ("nl", include_str!("../../names/nl.txt")),
    ("pl", include_str!("../../names/pl.txt")),
    ("cs", include_str!("../../names/cs.txt")),
    ("sv", include_str!("../../names/sv.txt")),
    ("no", include_str!("../../names/no.txt")),
    ("fi", include_str!("../../names/fi.txt")),
    ("hu", include_str!("../../names/hu.txt")),
    ("ro", include_str!("../../names/ro.txt")),
    ("tr", include_str!("../../names/tr.txt")),
    ("el", include_str!("../../names/el.txt")),
    ("ru", include_str!("../../names/ru.txt")),
    ("uk", include_str!("../../names/uk.txt")),
    ("id", include_str!("../../names/id.txt")),
    ("vi", include_str!("../../names/vi.txt")),
];
/// What English sentences say about a person, and about an organization; each is a template with a name before it.
const PEOPLE: &str = include_str!("../../names/en_people.txt");
const ORGANIZATIONS: &str = include_str!("../../names/en_orgs.txt");
/// English sentences without names.
const OTHER: &str = include_str!("../../names/en_other.txt");

/// Sentences made of each template.
const OF_EACH: usize = 60;
const OF_EACH_WITHOUT: usize = 30;

/// A part of the templates that a measurement leaves out: the fold of a template, of five.
pub(super) fn fold(template: &str) -> u64 {
    (Feature::of(template).0 >> 32) % 5
}

/// Sentences of the templates whose fold is chosen.
pub(super) fn all(lexicon: &Lexicon, seed: u64, chosen: impl Fn(u64) -> bool) -> Vec<Tagged> {
    let mut random = Seeded::new(seed, "sentences");
    let mut sentences: Vec<Tagged> = Vec::new();
    let lines = TEMPLATES.iter().flat_map(|(language, file)| file.lines().map(move |line| (*language, line)));
    let other = OTHER.lines().map(|line| ("en", line));
    let mut last = Tagged::default();
    let people = PEOPLE.lines().map(|line| ("en", format!("{{any}} {line}.")));
    let organizations = ORGANIZATIONS.lines().map(|line| ("en", format!("{{org}} {line}.")));
    let written = lines.chain(other).map(|(language, line)| (language, line.to_owned()));
    for (language, line) in
        written.chain(people).chain(organizations).filter(|(_, line)| !line.trim().is_empty())
    {
        let line = line.as_str();
        let template = line.trim_start_matches('!');
        let plain = !template.contains('{');
        for _ in 0..if plain { OF_EACH_WITHOUT } else { OF_EACH } {
            // The generator also runs for sentences that are left out, so that the other sentences stay the same.
            let sentence = noisy(fill(template, language, lexicon, &mut random), &mut random);
            if !chosen(fold(line)) {
                continue;
            }
            // Sentences also follow each other in texts.
            let joined = if random.chance(0.3) {
                join(&last, &sentence, if random.chance(0.5) { " " } else { "\n" })
            } else {
                sentence
            };
            last = joined.clone();
            if last.text.len() > 300 {
                last = Tagged::default();
            }
            sentences.push(joined);
        }
    }
    sentences
}

fn join(one: &Tagged, two: &Tagged, between: &str) -> Tagged {
    let mut joined = one.clone();
    joined.text.push_str(between);
    let shift = joined.text.len();
    joined.text.push_str(&two.text);
    joined.spans.extend(two.spans.iter().map(|(start, end, kind)| (start + shift, end + shift, *kind)));
    joined
}

/// A template with its slots filled.
fn fill(template: &str, language: &str, lexicon: &Lexicon, random: &mut Seeded) -> Tagged {
    let mut filled = Tagged::default();
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('{') {
        filled.text.push_str(before);
        let Some((slot, behind)) = tail.split_once('}') else { break };
        rest = behind;
        let start = filled.text.len();
        let (value, kind) = match slot {
            "first" => (lexicon.forename(language, random), Some(Kind::Person)),
            "last" => (lexicon.surname(language, random), Some(Kind::Person)),
            "any" => {
                let name = match random.below(4) {
                    0 => lexicon.forename(language, random),
                    1 => lexicon.surname(language, random),
                    _ => full(language, lexicon, random),
                };
                (name, Some(Kind::Person))
            }
            "full" => (full(language, lexicon, random), Some(Kind::Person)),
            "city" => (lexicon.city(language, random), Some(Kind::Location)),
            "org" => (lexicon.organization(language, random), Some(Kind::Organization)),
            _ => (Lexicon::title(random), None),
        };
        filled.text.push_str(&value);
        if let Some(kind) = kind {
            filled.spans.push((start, filled.text.len(), kind));
        }
    }
    filled.text.push_str(rest);
    filled
}

/// Forename and surname, perhaps with more forenames, an initial, or the surname first as in Hungary.
fn full(language: &str, lexicon: &Lexicon, random: &mut Seeded) -> String {
    let (first, last) = (lexicon.forename(language, random), lexicon.surname(language, random));
    if matches!(language, "hu" | "vi") && random.chance(0.8) {
        return format!("{last} {first}");
    }
    match random.below(20) {
        0 => format!("{first} {} {last}", lexicon.forename(language, random)),
        1 => format!("{first} {}. {last}", char::from(b'A' + random.below(26) as u8)),
        2 => format!("{}. {last}", first.chars().next().unwrap_or('A')),
        3 => format!("{first} {last} {}", lexicon.surname(language, random)),
        4 => first,
        5 => last,
        6 => format!("{first} {last} {}", random.pick(&["Jr.", "III", "MD", "PhD"]).unwrap_or(&"Jr.")),
        _ => format!("{first} {last}"),
    }
}

/// Small letters only, capitals only, or surnames in capitals, in a part of the sentences. Where a change of case changes
/// the number of bytes, the sentence stays as it is.
fn noisy(sentence: Tagged, random: &mut Seeded) -> Tagged {
    let choice = random.below(20);
    let changed = match choice {
        0..=2 => sentence.text.to_lowercase(),
        3 => sentence.text.to_uppercase(),
        4 => {
            let mut text = sentence.text.clone();
            for (start, end, _) in &sentence.spans {
                let upper = text.get(*start..*end).unwrap_or_default().to_uppercase();
                if upper.len() == end - start {
                    text.replace_range(*start..*end, &upper);
                }
            }
            text
        }
        _ => return sentence,
    };
    let same = changed.len() == sentence.text.len()
        && sentence
            .spans
            .iter()
            .all(|(start, end, _)| changed.is_char_boundary(*start) && changed.is_char_boundary(*end));
    if same { Tagged { text: changed, spans: sentence.spans } } else { sentence }
}
