//! Events made of a rule's own values: such as should match, and such as nearly do. Their quality decides the coverage of the
//! tests, never their verdicts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sigma::document::{
    Comparison, Encoding, FieldTest, Modifiers, Relation, RuleDocument, Scalar, Selection,
};
use sigma::{Event, LogSource, Number, RuleLogSource, Value};

/// Fields that are taken out or changed for near misses, per event.
const CHANGED_FIELDS: usize = 8;

/// Alternatives of one list that get a value.
const MOST_ALTERNATIVES: usize = 4;

type Fields = Vec<(String, Vec<Value<'static>>)>;

/// Events for a rule; the first is the likeliest to match.
pub(crate) fn events(rule: &RuleDocument) -> Vec<Event<'static>> {
    let is_filter = |name: &str| name.starts_with("filter") || name.contains("filter_");
    let mut wanted = Fields::new();
    let selections = &rule.detection.selections;
    for (_, selection) in selections.iter().filter(|(name, _)| !is_filter(name)) {
        gather(selection, false, &mut wanted);
    }
    let mut all = vec![wanted.clone()];
    let mut everything = wanted.clone();
    for (name, selection) in selections {
        let (mut one, mut first) = (Fields::new(), Fields::new());
        gather(selection, false, &mut one);
        gather(selection, true, &mut first);
        all.extend([one.clone(), first]);
        if is_filter(name) {
            one.into_iter().for_each(|(field, values)| add(&mut everything, &field, values));
        }
    }
    all.push(everything);
    let mut single = wanted.clone();
    single.iter_mut().for_each(|(_, values)| values.truncate(1));
    all.push(single);
    for at in 0..wanted.len().min(CHANGED_FIELDS) {
        let mut without = wanted.clone();
        without.remove(at);
        all.push(without);
        for change in [shorter, longer, other_case, other_dash] {
            let mut changed = wanted.clone();
            changed[at].1.iter_mut().for_each(|value| change_text(value, change));
            all.push(changed);
        }
    }
    all.into_iter().map(|fields| event(&rule.log_source, fields)).collect()
}

fn event(source: &RuleLogSource, fields: Fields) -> Event<'static> {
    let word = |word: &Option<String>| word.clone().map(Into::into);
    let log_source = LogSource {
        product: word(&source.product),
        category: word(&source.category),
        service: word(&source.service),
    };
    let mut event = Event { log_source, fields: Vec::new() };
    for (name, mut values) in fields {
        let only = if values.len() == 1 { values.pop() } else { None };
        event.push(name, only.unwrap_or(Value::Array(values)));
    }
    event
}

fn gather(selection: &Selection, first_only: bool, fields: &mut Fields) {
    match selection {
        Selection::All(tests) => tests.iter().for_each(|test| gather_test(test, first_only, fields)),
        Selection::Any(parts) => {
            some(parts, first_only, false).into_iter().for_each(|part| gather(part, first_only, fields));
        }
    }
}

/// All alternatives of a short list, some of a long one: each is compared with each.
fn some<T>(alternatives: &[T], first_only: bool, every: bool) -> Vec<&T> {
    if every {
        return alternatives.iter().collect();
    }
    let most = if first_only { 1 } else { MOST_ALTERNATIVES };
    let apart = alternatives.len().div_ceil(most).max(1);
    alternatives.iter().step_by(apart).collect()
}

fn gather_test(test: &FieldTest, first_only: bool, fields: &mut Fields) {
    let name = test.field.as_deref().unwrap_or("message");
    for value in some(&test.values, first_only, test.modifiers.every) {
        if let (Relation::FieldReference(_), Scalar::Text(other)) = (test.modifiers.kind, value) {
            add(fields, other, vec![Value::String("the same".into())]);
            add(fields, name, vec![Value::String("The Same".into())]);
            continue;
        }
        if let Some(value) = value_for(value, &test.modifiers) {
            add(fields, name, vec![value]);
        }
    }
}

fn add(fields: &mut Fields, name: &str, values: Vec<Value<'static>>) {
    match fields.iter_mut().find(|(own, _)| own == name) {
        Some((_, own)) => own.extend(values),
        None => fields.push((name.to_owned(), values)),
    }
}

/// A value for which the test holds, if one is easily made.
fn value_for(value: &Scalar, modifiers: &Modifiers) -> Option<Value<'static>> {
    Some(match (modifiers.kind, value) {
        (Relation::Exists, Scalar::Bool(wanted)) => {
            return wanted.then(|| Value::String("there".into()));
        }
        (Relation::Compare(comparison), Scalar::Number(Number::Int(number))) => {
            let number = i64::try_from(*number).ok()?;
            Value::Int(match comparison {
                Comparison::Less => number - 1,
                Comparison::Greater => number + 1,
                Comparison::LessOrEqual | Comparison::GreaterOrEqual => number,
            })
        }
        (_, Scalar::Number(Number::Int(number))) => Value::Int(i64::try_from(*number).ok()?),
        (_, Scalar::Number(Number::Double(number))) => Value::Double(*number),
        (_, Scalar::Bool(value)) => Value::Bool(*value),
        (_, Scalar::Null) => return None,
        (Relation::Regex(_), Scalar::Text(text)) => Value::String(found_by(text).into()),
        (Relation::Network, Scalar::Text(text)) => {
            Value::String(text.split('/').next().unwrap_or_default().to_owned().into())
        }
        (kind, Scalar::Text(text)) => {
            let mut text = plain(text);
            if modifiers.encodings.is_empty() && matches!(kind, Relation::Contains | Relation::EndsWith) {
                text = format!("before {text}");
            }
            if modifiers.encodings.is_empty() && matches!(kind, Relation::Contains | Relation::StartsWith) {
                text = format!("{text} after");
            }
            Value::String(encoded(text, &modifiers.encodings).into())
        }
    })
}

/// The text without wildcards and escapes, a placeholder as one of its values.
fn plain(text: &str) -> String {
    let text = text.replace(r"\\", r"\").replace(r"\*", "<star>").replace(r"\?", "<mark>");
    let text = text.replace('*', " any ").replace('?', "1").replace('%', "");
    text.replace("<star>", "*").replace("<mark>", "?")
}

fn encoded(text: String, encodings: &[Encoding]) -> String {
    let mut bytes = text.into_bytes();
    for encoding in encodings {
        let wide = String::from_utf8_lossy(&bytes).into_owned();
        bytes = match encoding {
            Encoding::Base64 => STANDARD.encode(&bytes).into_bytes(),
            Encoding::Base64Offset => {
                bytes.splice(0..0, *b"ab");
                bytes.extend(b"cde");
                STANDARD.encode(&bytes).into_bytes()
            }
            Encoding::Utf16Le | Encoding::Utf16 => wide.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf16Be => wide.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text that a simple regular expression finds: classes by one of theirs, the first alternative,
/// everything once.
fn found_by(expression: &str) -> String {
    let mut text = String::new();
    let mut characters = expression.chars().peekable();
    let mut depth_to_skip: Option<usize> = None;
    let mut depth = 0;
    while let Some(character) = characters.next() {
        let skipping = depth_to_skip.is_some_and(|skipped| depth >= skipped);
        match character {
            '(' => {
                depth += 1;
                if characters.peek() == Some(&'?') {
                    while characters.next().is_some_and(|c| !matches!(c, ':' | '>' | ')')) {}
                }
            }
            ')' => {
                if depth_to_skip == Some(depth) {
                    depth_to_skip = None;
                }
                depth -= 1;
            }
            '|' if !skipping => depth_to_skip = Some(depth),
            '[' => {
                let class: String = characters.by_ref().take_while(|c| *c != ']').collect();
                let first = class.trim_start_matches('\\').chars().next().unwrap_or('a');
                if !skipping {
                    text.push(if first == '^' { '~' } else { first });
                }
            }
            '{' => {
                let count: String = characters.by_ref().take_while(|c| *c != '}').collect();
                let count =
                    count.split(',').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(1);
                if let (false, Some(last)) = (skipping, text.chars().last()) {
                    text.extend(std::iter::repeat_n(last, count.saturating_sub(1).min(4_000)));
                }
            }
            '\\' => {
                let escaped = match characters.next() {
                    Some('s') => " ".to_owned(),
                    Some('d') => "1".to_owned(),
                    Some('w') => "a".to_owned(),
                    Some('b' | 'B' | 'A' | 'z') | None => String::new(),
                    Some(other) => other.to_string(),
                };
                text.push_str(if skipping { "" } else { &escaped });
            }
            '^' | '$' | '*' | '+' | '?' => {}
            '.' if !skipping => text.push('x'),
            other if !skipping => text.push(other),
            _ => {}
        }
    }
    text
}

fn change_text(value: &mut Value<'static>, change: fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text).into(),
        Value::Int(number) => *number += 1,
        _ => {}
    }
}

fn shorter(text: &str) -> String {
    let mut text = text.to_owned();
    text.pop();
    text
}

fn longer(text: &str) -> String {
    format!("~{text}~")
}

fn other_case(text: &str) -> String {
    if text.chars().any(char::is_lowercase) { text.to_uppercase() } else { text.to_lowercase() }
}

fn other_dash(text: &str) -> String {
    text.replace('-', "/")
}
