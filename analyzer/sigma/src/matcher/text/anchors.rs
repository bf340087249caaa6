//! Literals of every text that a pattern matches, and their places: they select the rules to evaluate.

use super::{Atom, Pieces, Shape, TextMatcher};

/// Place of a literal in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Anchor {
    /// It is the whole text.
    Whole,
    /// The text begins with it.
    Start,
    /// The text ends with it.
    End,
    /// It is somewhere in it.
    Anywhere,
    /// Some character beyond ASCII is: such characters are not distinguished from each other.
    NotAscii,
}

impl TextMatcher {
    /// ASCII literals, in lower case, that every text it matches holds, whatever its case, and where; each by
    /// itself.
    pub(crate) fn anchors(&self) -> Vec<(Anchor, String)> {
        let (anchor, text) = match &self.shape {
            Shape::Whole(text) => (Anchor::Whole, &**text),
            Shape::Start(text) => (Anchor::Start, &**text),
            Shape::End(text) => (Anchor::End, &**text),
            Shape::Inside(literal) => (Anchor::Anywhere, literal.as_str()),
            Shape::Pieces(pieces) => return pieces.anchors(),
        };
        if !text.is_ascii() {
            return parts_of(text);
        }
        let tells_anything = !text.is_empty() || anchor == Anchor::Whole;
        tells_anything.then(|| (anchor, text.to_ascii_lowercase())).into_iter().collect()
    }
}

impl Pieces {
    fn anchors(&self) -> Vec<(Anchor, String)> {
        let pieces = [&self.head].into_iter().chain(&self.middle).chain(&self.tail);
        let literals = pieces.flat_map(|piece| &piece.atoms).filter_map(Atom::literal);
        let mut anchors: Vec<_> = literals
            .flat_map(|text| if text.is_ascii() { vec![(Anchor::Anywhere, text)] } else { parts_of(&text) })
            .collect();
        let last = self.tail.as_ref().unwrap_or(&self.head).atoms.last();
        for (anchor, atom) in [(Anchor::Start, self.head.atoms.first()), (Anchor::End, last)] {
            anchors.extend(
                atom.and_then(Atom::literal).filter(|text| text.is_ascii()).map(|text| (anchor, text)),
            );
        }
        anchors.retain(|(anchor, text)| *anchor == Anchor::NotAscii || !text.is_empty());
        anchors
    }
}

/// Properties of a text with a character beyond ASCII: that it has one, which no ASCII character equals, and the longest run of
/// others.
fn parts_of(text: &str) -> Vec<(Anchor, String)> {
    let runs = text.split(|character: char| !character.is_ascii());
    let longest = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty());
    let longest = longest.map(|run| (Anchor::Anywhere, run.to_ascii_lowercase()));
    [(Anchor::NotAscii, String::new())].into_iter().chain(longest).collect()
}
