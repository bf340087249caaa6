//! The notation of wordings, read into parts.
//!
//! | hole | holds |
//! |---|---|
//! | `{client}` | the client's IP address, perhaps in brackets, with an interface |
//! | `{client:port}` | address and port: `192.0.2.1:5060`, `[2001:db8::1]:5060` |
//! | `{client.port}` | the same with a dot: `192.0.2.1.5060` |
//! | `{port}` | the client's port |
//! | `{number}` | digits |
//! | `{word}` | text without blanks |
//! | `{user}` | a user name, any text: the client may have chosen it |
//! | `{object}` | the thing that was asked for, any text: a database, a share, a service |
//! | `{text}` | any text, perhaps none |
//!
//! `{text}` may stand directly behind an address, a port, a number or a word, which then ends where such text ends.
//!
//! `<a|b|>` is one of these, perhaps nothing; `{{`, `}}`, `<<` and `>>` stand for themselves. A wording is the whole line.

use super::pattern::{Hole, Part, PatternError};

/// Every choice of alternatives, as parts.
pub(super) fn alternatives(notation: &str) -> Result<Vec<Vec<Part>>, PatternError> {
    let mut choices = vec![Vec::new()];
    let mut rest = notation;
    while let Some(at) = rest.find(['{', '}', '<', '>']) {
        let (literal, behind) = rest.split_at(at);
        push_all(&mut choices, &Part::Literal(literal.into()));
        let mut letters = behind.chars();
        let (mark, next) = (letters.next().unwrap_or_default(), letters.next());
        if next == Some(mark) {
            push_all(&mut choices, &Part::Literal(mark.to_string().into()));
            rest = &behind[2..];
            continue;
        }
        rest = match mark {
            '{' => {
                let (name, after) = behind[1..].split_once('}').ok_or(PatternError::Unclosed('}'))?;
                let hole = Hole::named(name).ok_or_else(|| PatternError::Hole(name.to_owned()))?;
                push_all(&mut choices, &Part::Hole(hole));
                after
            }
            '<' => {
                let (inner, after) = behind[1..].split_once('>').ok_or(PatternError::Unclosed('>'))?;
                let inner: Result<Vec<_>, _> = inner.split('|').map(alternatives).collect();
                choices = combined(&choices, &inner?.concat());
                after
            }
            other => return Err(PatternError::Unclosed(other)),
        };
    }
    push_all(&mut choices, &Part::Literal(rest.into()));
    Ok(choices)
}

fn push_all(choices: &mut [Vec<Part>], part: &Part) {
    choices.iter_mut().for_each(|choice| choice.push(part.clone()));
}

fn combined(choices: &[Vec<Part>], behind: &[Vec<Part>]) -> Vec<Vec<Part>> {
    choices.iter().flat_map(|choice| behind.iter().map(move |inner| [&choice[..], inner].concat())).collect()
}

/// The parts with adjacent literals as one.
pub(super) fn joined(parts: &[Part]) -> Box<[Part]> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (_, Part::Literal(literal)) if literal.is_empty() => {}
            (Some(Part::Literal(before)), Part::Literal(literal)) => {
                *before = [&**before, literal].concat().into()
            }
            _ => joined.push(part.clone()),
        }
    }
    joined.into()
}
