//! GitHub Actions: tags of releases, their order, and ranges of advisories.
//!
//! GitHub defines no order of references. Action authors tag releases `v1.2.3` and move `v1` and `v1.2` to the newest release
//! of their line. The order here is that of the numbers, missing ones as zeros; of equal numbers a pre-release comes first,
//! then the shorter tag. Commits and branches have no order.

use std::cmp::Ordering;

use crate::precedence::{Triple, is_prerelease, number};

/// Length of a commit's hash in hexadecimal digits (SHA-1; Git's SHA-256 object format has 64).
const COMMIT_DIGITS: [usize; 2] = [40, 64];

/// Whether a reference is a full commit hash.
#[must_use]
pub fn is_commit(text: &str) -> bool {
    COMMIT_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A tag of a release.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    numbers: Triple,
    /// Numbers that the tag has.
    precision: usize,
}

impl Tag {
    /// Reads `v4`, `v4.1`, `4.1.2`, `v4.1.2-beta.1`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let (release, prerelease) = match text.split_once('-') {
            Some((release, prerelease)) if is_prerelease(prerelease) => (release, prerelease),
            Some(_) => return None,
            None => (text, ""),
        };
        let numbers = release.split('.').map(number).collect::<Option<Vec<u64>>>()?;
        let precision = numbers.len();
        if precision > 3 {
            return None;
        }
        let mut release = [0; 3];
        release[..precision].copy_from_slice(&numbers);
        Some(Self { numbers: Triple { release, prerelease: prerelease.into() }, precision })
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.numbers.compare(&other.numbers).then_with(|| self.precision.cmp(&other.precision))
    }

    pub(crate) fn is_prerelease(&self) -> bool {
        self.numbers.is_prerelease()
    }

    pub(crate) fn release(&self) -> [u64; 3] {
        self.numbers.release
    }
}

/// A line of releases, or comparisons that must all be met.
#[derive(Clone, Debug)]
pub(crate) enum TagRange {
    /// `v4` or `v4.1`: the tags of that line, pre-releases excluded.
    Line(Tag),
    /// `>= 3.0, < 3.0.5`.
    Ordered(Vec<(&'static [Ordering], Tag)>),
}

impl TagRange {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(tag) = Tag::parse(text) {
            return Some(if tag.precision < 3 && !tag.is_prerelease() {
                Self::Line(tag)
            } else {
                Self::Ordered(vec![(&[Ordering::Equal], tag)])
            });
        }
        text.split(',').map(|word| comparison(word.trim())).collect::<Option<Vec<_>>>().map(Self::Ordered)
    }

    pub(crate) fn matches(&self, tag: &Tag) -> bool {
        match self {
            Self::Line(line) => {
                let same = tag.numbers.release[..line.precision] == line.numbers.release[..line.precision];
                same && tag.precision >= line.precision && !tag.is_prerelease()
            }
            Self::Ordered(comparisons) => comparisons
                .iter()
                .all(|(orders, bound)| orders.contains(&tag.numbers.compare(&bound.numbers))),
        }
    }
}

fn comparison(word: &str) -> Option<(&'static [Ordering], Tag)> {
    use Ordering::{Equal, Greater, Less};
    let operators: [(&str, &'static [Ordering]); 5] = [
        ("<=", &[Less, Equal]),
        (">=", &[Greater, Equal]),
        ("<", &[Less]),
        (">", &[Greater]),
        ("=", &[Equal]),
    ];
    let (orders, rest) =
        operators.iter().find_map(|(operator, orders)| Some((*orders, word.strip_prefix(operator)?)))?;
    Some((orders, Tag::parse(rest.trim())?))
}
