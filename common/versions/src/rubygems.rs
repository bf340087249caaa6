//! RubyGems: versions and requirements as `Gem::Version` and `Gem::Requirement` read them.

use std::cmp::Ordering;

use crate::precedence::{digits, is_build, is_digits};

/// A version: numbers and words, of which words come before numbers.
#[derive(Clone, Debug)]
pub(crate) struct GemVersion {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// Digits without leading zeros; empty for zero.
    Number(Box<str>),
    Word(Box<str>),
}

impl Segment {
    fn number(text: &str) -> Self {
        Self::Number(text.trim_start_matches('0').into())
    }

    fn is_zero(&self) -> bool {
        matches!(self, Self::Number(digits) if digits.is_empty())
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Word(_))
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => digits(a, b),
            (Self::Word(a), Self::Word(b)) => a.cmp(b),
            (Self::Word(_), Self::Number(_)) => Ordering::Less,
            (Self::Number(_), Self::Word(_)) => Ordering::Greater,
        }
    }
}

impl GemVersion {
    /// Reads `1.2.3`, `1.2.beta1`, `1.2-3`; a hyphen is read as `.pre.`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (release, prerelease) = text.split_once('-').map_or((text, None), |(a, b)| (a, Some(b)));
        let mut parts = release.split('.');
        let fits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_digits(parts.next()?) || !parts.all(fits) || prerelease.is_some_and(|text| !is_build(text)) {
            return None;
        }
        Some(Self { segments: segments(&text.replace('-', ".pre.")) })
    }

    pub(crate) fn is_prerelease(&self) -> bool {
        self.segments.iter().any(Segment::is_word)
    }

    /// The first numbers, zeros for missing ones and `u64::MAX` for those beyond it.
    pub(crate) fn release(&self) -> [u64; 3] {
        let mut release = [0; 3];
        for (number, segment) in release.iter_mut().zip(&self.segments) {
            let Segment::Number(digits) = segment else { break };
            *number = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) };
        }
        release
    }

    /// Zeros at the end of the numbers, and of everything, do not count.
    fn canonical(&self) -> impl Iterator<Item = &Segment> {
        let words = self.segments.iter().position(Segment::is_word).unwrap_or(self.segments.len());
        let (numbers, rest) = self.segments.split_at(words);
        let trimmed =
            |part: &[Segment]| part.iter().rposition(|segment| !segment.is_zero()).map_or(0, |at| at + 1);
        numbers[..trimmed(numbers)].iter().chain(&rest[..trimmed(rest)])
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let (mut left, mut right) = (self.canonical(), other.canonical());
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (Some(a), Some(b)) => a.compare(b),
                // The shorter one continues with zeros.
                (Some(a), None) => a.compare(&Segment::number("")),
                (None, Some(b)) => Segment::number("").compare(b),
            };
            if order.is_ne() {
                return order;
            }
        }
    }

    /// The version without its pre-release.
    fn released(&self) -> Self {
        if !self.is_prerelease() {
            return self.clone();
        }
        let numbers = self.segments.iter().take_while(|segment| !segment.is_word());
        Self { segments: numbers.cloned().collect() }
    }

    /// The lowest version beyond those that `~>` admits: the last number but one raised.
    fn next_line(&self) -> Self {
        let mut segments = self.released().segments;
        if segments.len() > 1 {
            segments.pop();
        }
        if let Some(last) = segments.last_mut() {
            *last = Segment::Number(successor(last).into());
        }
        Self { segments }
    }
}

/// The digits of a number raised by one.
fn successor(segment: &Segment) -> String {
    let Segment::Number(digits) = segment else { return "1".to_owned() };
    let kept = digits.trim_end_matches('9');
    let zeros = "0".repeat(digits.len() - kept.len());
    let mut raised = kept.to_owned();
    match raised.pop() {
        Some(last) => raised.push(char::from(last as u8 + 1)),
        None => raised.push('1'),
    }
    raised + &zeros
}

/// Runs of digits and of letters.
fn segments(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    for part in text.split(['.', '-']) {
        let mut rest = part;
        while let Some(first) = rest.chars().next() {
            let is_digit = first.is_ascii_digit();
            let end =
                rest.find(|character: char| character.is_ascii_digit() != is_digit).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            segments.push(if is_digit { Segment::number(run) } else { Segment::Word(run.into()) });
            rest = after;
        }
    }
    segments
}

/// Requirements, all of which must be met.
#[derive(Clone, Debug)]
pub(crate) struct GemRange {
    requirements: Vec<(Operator, GemVersion)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Pessimistic,
}

impl GemRange {
    /// Reads requirements separated by commas.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let requirements = text.split(',').map(requirement).collect::<Option<Vec<_>>>()?;
        Some(Self { requirements })
    }

    pub(crate) fn matches(&self, version: &GemVersion) -> bool {
        self.requirements.iter().all(|(operator, bound)| {
            let order = version.compare(bound);
            match operator {
                Operator::Equal => order.is_eq(),
                Operator::NotEqual => order.is_ne(),
                Operator::Greater => order.is_gt(),
                Operator::Less => order.is_lt(),
                Operator::GreaterOrEqual => order.is_ge(),
                Operator::LessOrEqual => order.is_le(),
                Operator::Pessimistic => {
                    order.is_ge() && version.released().compare(&bound.next_line()).is_lt()
                }
            }
        })
    }
}

fn requirement(text: &str) -> Option<(Operator, GemVersion)> {
    let text = text.trim();
    let operators = [
        ("~>", Operator::Pessimistic),
        (">=", Operator::GreaterOrEqual),
        ("<=", Operator::LessOrEqual),
        ("!=", Operator::NotEqual),
        (">", Operator::Greater),
        ("<", Operator::Less),
        ("=", Operator::Equal),
    ];
    let found = operators.iter().find_map(|(word, operator)| Some((*operator, text.strip_prefix(word)?)));
    let (operator, rest) = found.unwrap_or((Operator::Equal, text));
    Some((operator, GemVersion::parse(rest)?))
}
