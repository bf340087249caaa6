//! Selectors: compounds of type, class, id and attributes, as descendants and children (Selectors Level 4, the part that needs no
//! state and no siblings). A selector with anything else is left out: its rule is then not applied, so text counts as visible.

mod anchor;

pub(super) use self::anchor::{Anchor, set_of};
use super::css::plain;
use super::tree::{Name, Tree};

/// Compounds of a selector at most.
const MOST_COMPOUNDS: usize = 12;

/// A selector.
#[derive(Debug, PartialEq)]
pub(super) struct Selector {
    /// From the last to the first, each with whether it is the parent of the one before it in this list.
    compounds: Vec<(bool, Compound)>,
    specificity: u32,
    /// Anchors that ancestors must have, as a set.
    above: u128,
}

#[derive(Debug, Default, PartialEq)]
struct Compound {
    tag: Option<Name>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<Attribute>,
}

/// Condition on an attribute: name, operator, value in lower case.
#[derive(Debug, PartialEq)]
struct Attribute {
    name: String,
    /// `None`: present; otherwise `=`, or the sign before it.
    operator: Option<u8>,
    value: String,
}

impl Selector {
    /// Reads a selector.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut compounds = Vec::new();
        let mut rest = text.trim();
        loop {
            let (compound, after) = Compound::parse(rest)?;
            let next = after.trim_start();
            compounds.push(compound);
            if next.is_empty() {
                break;
            }
            if compounds.len() >= MOST_COMPOUNDS {
                return None;
            }
            rest = match next.strip_prefix('>') {
                Some(child) => {
                    compounds.push(Compound::default());
                    child.trim_start()
                }
                None if next.len() < after.len() => next,
                None => return None,
            };
        }
        Some(Self::of(compounds))
    }

    /// Turns compounds around; an empty one stands for the sign of a child.
    fn of(compounds: Vec<Compound>) -> Self {
        let weight = |compound: &Compound| {
            let ids = u32::from(compound.id.is_some()) << 16;
            let classes = (compound.classes.len() + compound.attributes.len()) as u32;
            ids + (classes << 8) + u32::from(compound.tag.is_some())
        };
        let specificity = compounds.iter().map(weight).sum();
        let mut turned: Vec<(bool, Compound)> = Vec::with_capacity(compounds.len());
        let mut is_parent = false;
        for compound in compounds.into_iter().rev() {
            if compound.is_empty() && !turned.is_empty() && !is_parent {
                is_parent = true;
                continue;
            }
            turned.push((is_parent, compound));
            is_parent = false;
        }
        let above = turned.iter().skip(1).fold(0, |set, (_, compound)| set | compound.set());
        Self { compounds: turned, specificity, above }
    }

    pub(super) const fn specificity(&self) -> u32 {
        self.specificity
    }

    pub(super) fn anchor(&self) -> Anchor {
        let Some((_, last)) = self.compounds.first() else { return Anchor::ANY };
        match (&last.id, last.classes.first()) {
            (Some(id), _) => Anchor::of_id(id),
            (None, Some(class)) => Anchor::of_class(class),
            (None, None) => last.tag.map_or(Anchor::ANY, Anchor::of_name),
        }
    }

    /// Whether an element matches. Each comparison with an element is a step. `above` is the set of the anchors of its ancestors, by which
    /// most selectors are excluded.
    pub(super) fn matches(&self, tree: &Tree, node: u32, above: u128, steps: &mut u64) -> bool {
        *steps += 1;
        if self.above & !above != 0 {
            return false;
        }
        let Some(((_, last), rest)) = self.compounds.split_first() else { return false };
        last.matches(tree, node) && matches_above(rest, tree, node, steps)
    }
}

/// Whether ancestors match the rest. A step for each keeps nested searches within the budget of the sheet.
fn matches_above(compounds: &[(bool, Compound)], tree: &Tree, node: u32, steps: &mut u64) -> bool {
    let Some(((is_parent, compound), rest)) = compounds.split_first() else { return true };
    let mut next = tree.parent(node);
    while let Some(ancestor) = next {
        *steps += 1;
        if *steps > STEPS_OF_ONE_PAGE {
            return false;
        }
        if compound.matches(tree, ancestor) && matches_above(rest, tree, ancestor, steps) {
            return true;
        }
        if *is_parent {
            return false;
        }
        next = tree.parent(ancestor);
    }
    false
}

/// Above the budget of a sheet, so that a search that is under way ends too.
const STEPS_OF_ONE_PAGE: u64 = 5_500_000;

impl Compound {
    /// Anchors that an element needs to match.
    fn set(&self) -> u128 {
        let classes = self.classes.iter().map(|class| Anchor::of_class(class));
        let id = self.id.iter().map(|id| Anchor::of_id(id));
        classes.chain(id).chain(self.tag.map(Anchor::of_name)).fold(0, |set, anchor| set | anchor.bit())
    }

    const fn is_empty(&self) -> bool {
        self.tag.is_none() && self.id.is_none() && self.classes.is_empty() && self.attributes.is_empty()
    }

    /// A compound and the text behind it.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let mut compound = Self::default();
        let mut rest = text;
        let mut is_first = true;
        loop {
            let mut letters = rest.chars();
            let sign = letters.next();
            let after = letters.as_str();
            match sign {
                Some('*') if is_first => rest = after,
                Some('.') => {
                    let (class, after) = identifier(after)?;
                    compound.classes.push(class);
                    rest = after;
                }
                Some('#') => {
                    let (id, after) = identifier(after)?;
                    compound.id = Some(id);
                    rest = after;
                }
                Some('[') => {
                    let (inner, after) = after.split_once(']')?;
                    compound.attributes.push(Attribute::parse(inner)?);
                    rest = after;
                }
                Some(':') if after.starts_with("root") => {
                    compound.tag = Some(Name::new(b"html"));
                    rest = after.strip_prefix("root")?;
                }
                Some(letter) if is_first && is_of_identifier(letter) => {
                    let (tag, after) = identifier(rest)?;
                    compound.tag = Some(Name::new(tag.to_ascii_lowercase().as_bytes()));
                    rest = after;
                }
                None | Some('>' | ' ' | '\t' | '\n' | '\r' | '\u{c}') if !is_first => {
                    return Some((compound, rest));
                }
                _ => return None,
            }
            is_first = false;
        }
    }

    fn matches(&self, tree: &Tree, node: u32) -> bool {
        if self.tag.is_some_and(|tag| tag != tree.name(node)) {
            return false;
        }
        let is_id = |id: &String| tree.attribute(node, "id") == Some(id.as_str());
        if !self.id.as_ref().is_none_or(is_id) {
            return false;
        }
        if !self.classes.is_empty() {
            let classes = tree.attribute(node, "class").unwrap_or_default();
            let has = |class: &String| classes.split_ascii_whitespace().any(|own| own == class);
            if !self.classes.iter().all(has) {
                return false;
            }
        }
        self.attributes.iter().all(|attribute| attribute.matches(tree, node))
    }
}

fn is_of_identifier(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '\\') || !letter.is_ascii()
}

/// An identifier, without its escapes, and the text behind it.
fn identifier(text: &str) -> Option<(String, &str)> {
    let mut end = 0;
    while let Some(letter) = text.get(end..)?.chars().next().filter(|letter| is_of_identifier(*letter)) {
        end += letter.len_utf8();
        if letter == '\\' {
            end += escape_length(text.get(end..)?)?;
        }
    }
    let (name, rest) = text.split_at_checked(end)?;
    (!name.is_empty()).then(|| (plain(name).into_owned(), rest))
}

/// Bytes of an escape behind its sign: a letter, or up to six digits and a space that ends them.
fn escape_length(text: &str) -> Option<usize> {
    let digits = text.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits == 0 {
        return text.chars().next().map(char::len_utf8);
    }
    let ends_with_space = text.as_bytes().get(digits).is_some_and(u8::is_ascii_whitespace);
    Some(digits + usize::from(ends_with_space))
}

impl Attribute {
    fn parse(text: &str) -> Option<Self> {
        let Some((name, value)) = text.split_once('=') else {
            return Some(Self {
                name: text.trim().to_ascii_lowercase(),
                operator: None,
                value: String::new(),
            });
        };
        let (name, operator) = match name.as_bytes().last() {
            Some(sign @ (b'~' | b'|' | b'^' | b'$' | b'*')) => (name.get(..name.len() - 1)?, *sign),
            _ => (name, b'='),
        };
        let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        Some(Self { name: name.trim().to_ascii_lowercase(), operator: Some(operator), value })
    }

    fn matches(&self, tree: &Tree, node: u32) -> bool {
        let Some(own) = tree.attribute(node, &self.name) else { return false };
        let Some(operator) = self.operator else { return true };
        let own = own.to_ascii_lowercase();
        let value = self.value.as_str();
        match operator {
            b'=' => own == value,
            _ if value.is_empty() => false,
            b'~' => own.split_ascii_whitespace().any(|word| word == value),
            b'|' => own.strip_prefix(value).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            b'^' => own.starts_with(value),
            b'$' => own.ends_with(value),
            _ => own.contains(value),
        }
    }
}
