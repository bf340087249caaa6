//! Requirements on every text that a regular expression matches: literals, of which it contains at least one, or its length.
//! Too few requirements are safe, too many are not.
//!
//! An expression is processed from the inside. Each part matches exactly some few texts, or anything that holds the requirement
//! of the part. Parts that follow each other and match few texts each are joined, so that `net\s+user` requires `net` with a
//! space behind it, and `user` with one before.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Most texts that a part may match exactly.
const MOST_TEXTS: usize = 64;
/// Texts of which one is required by alternatives together.
const MOST_ALTERNATIVES: usize = 256;
/// Bytes of a text: longer ones are no rarer.
const LONGEST: usize = 64;
/// Characters of a class that are distinguished.
const MOST_CHARACTERS: usize = 8;
/// Repetitions that are written out.
const MOST_REPEATED: u32 = 4;

/// Something that every matched text must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Required {
    /// One of these, ASCII letters in lower case whatever their case in the text; or, if so specified, a character beyond
    /// ASCII.
    Texts(Vec<Vec<u8>>, NotAscii),
    /// This number of bytes.
    Length(usize),
}

/// Whether a character beyond ASCII may be in place of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAscii {
    /// It is enough.
    Suffices,
    /// It is not.
    IsNothing,
}

/// Requirements of an expression; each by itself.
pub(super) fn of(expression: &Hir) -> Vec<Required> {
    let part = Part::of(expression);
    let mut required: Vec<Required> = part.required.into_iter().map(Few::required).collect();
    required.extend(part.exactly.filter(Few::tells).map(Few::required));
    required.extend(expression.properties().minimum_len().filter(|length| *length > 0).map(Required::Length));
    required
}

/// Known properties of a part of an expression.
#[derive(Debug, Default)]
struct Part {
    /// All it matches.
    exactly: Option<Few>,
    /// Beginning and end of each match, where it is no more than that repeated.
    repeated: Option<Few>,
    /// Of each of these a match holds one.
    required: Vec<Few>,
}

/// A few texts, in lower case; with the bytes of characters that are not ASCII as they are.
#[derive(Clone, Debug)]
struct Few {
    texts: BTreeSet<Vec<u8>>,
    or_not_ascii: bool,
}

impl Few {
    fn only(text: &[u8]) -> Self {
        Self { texts: BTreeSet::from([text.to_ascii_lowercase()]), or_not_ascii: false }
    }

    /// Each of these followed by each of the others, unless those are too many or too long.
    fn then(&self, next: &Self) -> Option<Self> {
        let longest = |few: &Self| few.texts.iter().map(Vec::len).max().unwrap_or(0);
        if self.texts.len() * next.texts.len() > MOST_TEXTS || longest(self) + longest(next) > LONGEST {
            return None;
        }
        let joined =
            |one: &Vec<u8>| next.texts.iter().map(|other| [&one[..], other].concat()).collect::<Vec<_>>();
        let texts = self.texts.iter().flat_map(joined).collect();
        Some(Self { texts, or_not_ascii: self.or_not_ascii || next.or_not_ascii })
    }

    /// These or the others, unless those are too many.
    fn or(&self, other: &Self, most: usize) -> Option<Self> {
        let texts: BTreeSet<_> = self.texts.union(&other.texts).cloned().collect();
        let or_not_ascii = self.or_not_ascii || other.or_not_ascii;
        (texts.len() <= most).then_some(Self { texts, or_not_ascii })
    }

    /// Whether there are texts to look for: every text holds the empty one.
    fn tells(&self) -> bool {
        !self.texts.is_empty() && self.texts.iter().all(|text| !text.is_empty())
    }

    /// Frequency, about, with which one of them is found in vain: less for longer ones.
    fn chance(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "lengths of a few bytes")]
        let chance = |text: &Vec<u8>| (-(text.len() as f64)).exp();
        self.texts.iter().map(chance).sum()
    }

    fn required(self) -> Required {
        let not_ascii = if self.or_not_ascii { NotAscii::Suffices } else { NotAscii::IsNothing };
        Required::Texts(self.texts.into_iter().collect(), not_ascii)
    }
}

impl Part {
    fn of(expression: &Hir) -> Self {
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::exactly(Few::only(b"")),
            HirKind::Literal(literal) if literal.0.len() > LONGEST => Self {
                required: vec![Few::only(literal.0.get(..LONGEST).unwrap_or(&literal.0))],
                ..Self::default()
            },
            HirKind::Literal(literal) => Self::exactly(Few::only(&literal.0)),
            HirKind::Class(class) => few_of(class).map_or_else(Self::default, Self::exactly),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => Self::of_repetition(repetition),
            HirKind::Concat(parts) => Self::of_sequence(parts),
            HirKind::Alternation(parts) => Self::of_alternatives(parts),
        }
    }

    fn exactly(few: Few) -> Self {
        Self { exactly: Some(few), ..Self::default() }
    }

    fn of_repetition(repetition: &Repetition) -> Self {
        let part = Self::of(&repetition.sub);
        if repetition.min == 0 {
            let at_most_once = part.exactly.filter(|_| repetition.max == Some(1));
            let exactly = at_most_once.and_then(|few| few.or(&Few::only(b""), MOST_TEXTS));
            return Self { exactly, ..Self::default() };
        }
        let Some(once) = part.exactly else { return Self { required: part.required, ..Self::default() } };
        let mut some = once.clone();
        for _ in 1..repetition.min.min(MOST_REPEATED) {
            let Some(more) = some.then(&once) else {
                return Self { repeated: Some(once), ..Self::default() };
            };
            some = more;
        }
        if repetition.max == Some(repetition.min) && repetition.min <= MOST_REPEATED {
            return Self::exactly(some);
        }
        Self { repeated: Some(some), ..Self::default() }
    }

    fn of_sequence(parts: &[Hir]) -> Self {
        let mut required = Vec::new();
        let mut run = Few::only(b"");
        let mut is_whole = true;
        for part in parts.iter().map(Self::of) {
            let (next, ends_run) = match (part.exactly, part.repeated) {
                (Some(few), _) => (few, false),
                (None, Some(few)) => (few, true),
                (None, None) => (Few::only(b""), true),
            };
            let joined = run.then(&next);
            if next.texts.len() > 1 {
                // Fewer texts may be rarer than more longer ones.
                required.push(run.clone());
            }
            if !ends_run && let Some(joined) = joined {
                run = joined;
                continue;
            }
            is_whole = false;
            required.push(joined.filter(|_| ends_run).unwrap_or(run));
            required.extend(part.required);
            run = next;
        }
        required.retain(Few::tells);
        if is_whole {
            return Self { exactly: Some(run), required, ..Self::default() };
        }
        required.extend(Some(run).filter(Few::tells));
        Self { required, ..Self::default() }
    }

    fn of_alternatives(parts: &[Hir]) -> Self {
        let parts: Vec<Self> = parts.iter().map(Self::of).collect();
        let none = Few { texts: BTreeSet::new(), or_not_ascii: false };
        let exactly =
            parts.iter().try_fold(none.clone(), |all, part| all.or(part.exactly.as_ref()?, MOST_TEXTS));
        if exactly.is_some() {
            return Self { exactly, ..Self::default() };
        }
        let best = parts.iter().try_fold(none, |all, part| all.or(part.best()?, MOST_ALTERNATIVES));
        Self { required: best.into_iter().collect(), ..Self::default() }
    }

    /// The rarest of the requirements.
    fn best(&self) -> Option<&Few> {
        let all = self.required.iter().chain(&self.exactly).chain(&self.repeated);
        all.filter(|few| few.tells()).min_by(|one, other| one.chance().total_cmp(&other.chance()))
    }
}

/// The characters of a small class. Where it has some beyond ASCII, any such character counts as one.
fn few_of(class: &Class) -> Option<Few> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
    };
    let or_not_ascii = ranges.iter().any(|(_, end)| *end > 127);
    let ascii = ranges.iter().flat_map(|(start, end)| *start..=(*end).min(127));
    let texts: BTreeSet<Vec<u8>> = ascii
        .filter_map(|character| u8::try_from(character).ok())
        .map(|byte| vec![byte.to_ascii_lowercase()])
        .collect();
    (1..=MOST_CHARACTERS).contains(&texts.len()).then_some(Few { texts, or_not_ascii })
}

#[cfg(test)]
mod tests {
    use super::super::{expression, required};
    use super::*;
    use crate::document::Flags;
    use proptest::prelude::*;

    const PLAIN: Flags = Flags { ignore_case: false, multi_line: false, dot_all: false };

    fn texts(expression: &str, flags: Flags) -> Vec<String> {
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        let show = |required: &Required| match required {
            Required::Length(_) => None,
            Required::Texts(texts, not_ascii) => {
                let rest = if *not_ascii == NotAscii::Suffices { "|?" } else { "" };
                Some(texts.iter().map(text).collect::<Vec<_>>().join("|") + rest)
            }
        };
        required(expression, flags).iter().filter_map(show).collect()
    }

    #[test]
    fn literals_that_expressions_require() {
        let table: [(&str, &[&str]); 12] = [
            ("abc", &["abc"]),
            ("Ab.*cD", &["ab", "cd"]),
            ("net +user", &["net ", " user"]),
            ("a(b|c)d", &["a", "abd|acd"]),
            ("(foo.+|ba[rz])x", &["bar|baz|foo", "x"]),
            (r"x{2,}y", &["xx", "xxy"]),
            ("ab?c", &["a", "abc|ac"]),
            ("a*", &[]),
            ("a*b+", &["b", "b"]),
            ("[a-z]{3}", &[]),
            ("(a|b*)c", &["c"]),
            ("^x$", &["x"]),
        ];
        for (expression, expected) in table {
            assert_eq!(texts(expression, PLAIN), expected, "{expression}");
        }
        let insensitive = Flags { ignore_case: true, ..PLAIN };
        assert_eq!(texts("Kok", insensitive), ["kok|?"]);
        assert_eq!(texts("éa", insensitive), ["a"]);
        assert_eq!(texts(r"a\sb", PLAIN), ["a", "a\tb|a\nb|a\u{b}b|a\u{c}b|a\rb|a b|?"]);
        assert!(required(".{20}x", PLAIN).contains(&Required::Length(21)));
    }

    #[test]
    fn of_many_alternatives_one_is_required() {
        let alternatives = |count: u32| {
            let names = (0..count).map(|number| format!("n{number}x.*"));
            names.collect::<Vec<_>>().join("|")
        };
        let [found] = &texts(&alternatives(200), PLAIN)[..] else { panic!("one set") };
        assert_eq!(found.split('|').count(), 200);
        assert_eq!(texts(&alternatives(257), PLAIN), [""; 0]);
    }

    /// Whether a text meets a requirement.
    fn has(text: &str, required: &Required) -> bool {
        let folded = text.to_ascii_lowercase();
        let found = |wanted: &Vec<u8>| folded.as_bytes().windows(wanted.len()).any(|window| window == wanted);
        match required {
            Required::Length(bytes) => text.len() >= *bytes,
            Required::Texts(texts, NotAscii::Suffices) => !text.is_ascii() || texts.iter().any(found),
            Required::Texts(texts, NotAscii::IsNothing) => texts.iter().any(found),
        }
    }

    fn expressions() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "a", "B", "k", "é", " ", r"\s", ".", "[ab]", "[^a]", "[a-f]", "^", "$",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(5, 24, 4, |inner| {
            let repeat = prop::sample::select(vec!["?", "*", "+", "{2}", "{2,}", "{1,3}", "{0}"]);
            prop_oneof![
                3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                1 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                1 => (inner, repeat).prop_map(|(part, repeat)| format!("({part}){repeat}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn what_matches_has_all_that_is_required(
            text in expressions(),
            ignore_case: bool,
            subjects in prop::collection::vec("[abBkK\u{212a}éÉ cf\t]{0,8}", 1..30),
        ) {
            let flags = Flags { ignore_case, ..PLAIN };
            let Ok(regex) = expression(&text, flags) else { return Ok(()) };
            let required = required(&text, flags);
            for subject in subjects.iter().filter(|subject| regex.is_match(subject)) {
                for required in &required {
                    prop_assert!(has(subject, required), "{} {:?} {:?}", text, subject, required);
                }
            }
        }
    }
}
