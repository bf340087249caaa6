//! Handlers that suppress errors, in the languages with exceptions.

/// Words of code that reports an error to its caller.
const REPORTS: [&str; 9] = ["raise", "throw", "reject", "exit", "abort", "emit", "fail", "callback", "cb"];

/// Errors of the program itself: their handlers do not conceal a request that fails.
const OTHER_ERRORS: [&str; 12] = [
    "ImportError",
    "ModuleNotFoundError",
    "KeyError",
    "IndexError",
    "ValueError",
    "TypeError",
    "AttributeError",
    "JSONDecodeError",
    "UnicodeDecodeError",
    "StopIteration",
    "KeyboardInterrupt",
    "NotImplementedError",
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// True if the body of a handler neither raises nor returns anything nor reads the error, which it names `error`.
pub(super) fn is_quiet(body: &str, error: Option<&str>) -> bool {
    let reports = |word: &str| REPORTS.contains(&word) || Some(word) == error;
    let returns = |line: &str| {
        let Some((_, value)) = line.split_once("return ") else { return false };
        let value = value.trim_start();
        !["", ";", "}", "None", "null", "undefined", "nil", "void", "#", "//"]
            .iter()
            .any(|nothing| if nothing.is_empty() { value.is_empty() } else { value.starts_with(nothing) })
    };
    body.len() < 2_000 && !words(body).any(reports) && !body.lines().any(returns)
}

/// True if `except` or `rescue` with these words before its body catches errors of requests: `A, B as error`.
/// Gives the name of the error too.
pub(super) fn catches_requests(head: &str) -> (bool, Option<&str>) {
    let mut names = Vec::new();
    let mut error = None;
    let mut after_as = false;
    for word in words(head).filter(|word| !matches!(*word, "except" | "rescue")) {
        match (word, after_as) {
            ("as", _) => after_as = true,
            (name, true) => error = Some(name),
            (name, false) => names.push(name),
        }
    }
    (names.is_empty() || names.iter().any(|name| !OTHER_ERRORS.contains(name)), error)
}
