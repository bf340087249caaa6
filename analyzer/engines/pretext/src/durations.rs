//! Short deadlines in figures: "within 24 hours", "in zwei Tagen".

use text::{Hit, Word};

use crate::lexicon::Class;

/// Most hours, minutes and days of a deadline that puts pressure on a reader.
const MOST_HOURS: u32 = 72;
const MOST_DAYS: u32 = 2;

/// Words of a language, folded.
struct Language {
    before: &'static [&'static str],
    hours: &'static [&'static str],
    days: &'static [&'static str],
    /// Number words from one on.
    numbers: &'static [&'static str],
}

/// In the order of the lexicons.
const LANGUAGES: [Language; 9] = [
    Language {
        before: &["within", "in", "next", "after", "only"],
        hours: &["hour", "hours", "hrs", "minute", "minutes"],
        days: &["day", "days"],
        numbers: &["one", "two", "three"],
    },
    Language {
        before: &["von", "in", "nachsten", "binnen", "innerhalb", "nur"],
        hours: &["stunde", "stunden", "minuten"],
        days: &["tagen", "tage"],
        numbers: &["einer", "zwei", "drei"],
    },
    Language {
        before: &["sous", "dans", "prochaines", "les"],
        hours: &["heure", "heures", "minutes"],
        days: &["jours"],
        numbers: &["une", "deux", "trois"],
    },
    Language {
        before: &["en", "proximas", "proximos", "de", "dentro"],
        hours: &["hora", "horas", "minutos"],
        days: &["dias"],
        numbers: &["una", "dos", "tres"],
    },
    Language {
        before: &["entro", "prossime", "tra", "in"],
        hours: &["ora", "ore", "minuti"],
        days: &["giorni"],
        numbers: &["un", "due", "tre"],
    },
    Language {
        before: &["em", "proximas", "dentro", "ate"],
        hours: &["hora", "horas", "minutos"],
        days: &["dias"],
        numbers: &["uma", "duas", "tres"],
    },
    Language {
        before: &["binnen", "komende", "over"],
        hours: &["uur", "minuten"],
        days: &["dagen"],
        numbers: &["een", "twee", "drie"],
    },
    Language {
        before: &["ciagu", "za", "przez"],
        hours: &["godzin", "godziny", "minut"],
        days: &["dni"],
        numbers: &["jeden", "dwa", "trzy"],
    },
    Language {
        before: &["inom", "narmaste", "om"],
        hours: &["timmar", "timme", "minuter"],
        days: &["dagar"],
        numbers: &["en", "tva", "tre"],
    },
];

/// Adds the deadlines of the language with this number to its hits, by their last word.
pub(crate) fn add(folded: &str, words: &[Word], language: usize, hits: &mut Vec<Hit>) {
    let Some(language) = LANGUAGES.get(language) else { return };
    let spelling = |word: &Word| folded.get(word.range()).unwrap_or_default();
    let before = hits.len();
    for (place, three) in words.windows(3).enumerate() {
        let [first, number, unit] = three else { continue };
        if !language.before.contains(&spelling(first)) {
            continue;
        }
        let Some(number) = value(language, spelling(number)) else { continue };
        let unit = spelling(unit);
        let is_short = language.hours.contains(&unit) && number <= MOST_HOURS
            || language.days.contains(&unit) && number <= MOST_DAYS;
        if is_short {
            hits.push(Hit { classes: Class::Deadline.bit(), first: place, last: place + 2 });
        }
    }
    if hits.len() > before {
        hits.sort_by_key(|hit| hit.last);
    }
}

fn value(language: &Language, word: &str) -> Option<u32> {
    let named = language.numbers.iter().zip(1..).find(|(name, _)| **name == word).map(|(_, value)| value);
    named.or_else(|| word.parse().ok()).filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::{fold, words};

    #[test]
    fn short_deadlines_are_found_and_long_ones_are_not() {
        let count = |text: &str, language| {
            let folded = fold(text).text;
            let mut hits = Vec::new();
            add(&folded, &words(&folded), language, &mut hits);
            hits.len()
        };
        assert_eq!(count("Confirm within 24 hours", 0), 1);
        assert_eq!(count("Der Anspruch verfällt in zwei Tagen", 1), 1);
        assert_eq!(count("payable within 30 days", 0), 0);
        assert_eq!(count("valid for 10 minutes", 0), 0);
    }
}
