//! The part of PromQL that is needed to find the metrics of an expression, and the values of labels.

/// Words that are not names, unless quoted.
const WORDS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];
/// Words before a list of labels.
const GROUPING: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];

/// The metrics that an expression names.
pub(crate) fn metrics(expression: &str) -> Vec<String> {
    let bare = without(&without(&without_texts(expression), '{', '}'), '[', ']');
    let tokens = tokens(&bare);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1).map_or("", String::as_str);
        let is_word = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == ':');
        if GROUPING.contains(&token.as_str()) && next == "(" {
            at += tokens.iter().skip(at).position(|token| token == ")").unwrap_or(0);
        } else if is_word && !WORDS.contains(&token.as_str()) && next != "(" && !GROUPING.contains(&next) {
            found.push(token.clone());
        }
        at += 1;
    }
    found
}

/// Labels with the values they are compared with for equality.
pub(crate) fn labels(expression: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in expression.match_indices("=\"") {
        let name = expression[..at].rsplit(['{', ',']).next().unwrap_or_default().trim();
        let value = expression[at + 2..].split('"').next().unwrap_or_default();
        // `!=` leaves its first sign on the name.
        if !name.ends_with('!') {
            found.push((name.to_owned(), value.to_owned()));
        }
    }
    found
}

fn without_texts(expression: &str) -> String {
    expression.split('"').step_by(2).collect()
}

fn without(expression: &str, open: char, close: char) -> String {
    let mut parts = expression.split(open);
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once(close).unwrap_or_else(|| panic!("{expression}")).1);
    std::iter::once(first).chain(rest).collect()
}

fn tokens(expression: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in expression.chars() {
        let part_of_word = c.is_ascii_alphanumeric() || "_:.".contains(c);
        match tokens.last_mut() {
            Some(last) if in_word && part_of_word => last.push(c),
            _ if c.is_whitespace() => {}
            _ => tokens.push(c.to_string()),
        }
        in_word = part_of_word;
    }
    tokens
}

#[test]
fn names_are_told_from_functions_words_labels_and_numbers() {
    let expression = r#"sum by (le, route) (rate(a_total{x="b(c)", y!~"d"}[5m])) / on (z) e > 1.5e3
        or (absent(up{job="f"} == 1) unless topk(5, max without (g) (h_bucket offset 5m)))"#;
    assert_eq!(metrics(expression), ["a_total", "e", "up", "h_bucket"]);
    let labels = labels(expression);
    assert_eq!(labels, [("x".to_owned(), "b(c)".to_owned()), ("job".to_owned(), "f".to_owned())]);
}
