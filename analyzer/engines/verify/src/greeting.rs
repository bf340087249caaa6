//! Greetings, thanks and farewells, which state nothing that a source could support.

/// Phrases that begin courtesies, which are no claims whatever follows.
const COURTESIES: [&str; 14] = [
    "thank you",
    "thanks for",
    "thanks a lot",
    "thanks in advance",
    "many thanks",
    "i hope this",
    "i hope you",
    "i hope that helps",
    "hope this",
    "hope you",
    "let me know",
    "feel free",
    "nice to meet",
    "you are welcome",
];

/// Words that begin greetings; a statement may follow them.
const GREETINGS: [&str; 29] = [
    "hello",
    "hi",
    "hey",
    "dear",
    "greetings",
    "welcome",
    "thanks",
    "good morning",
    "good afternoon",
    "good evening",
    "good night",
    "good day",
    "goodbye",
    "bye",
    "see you",
    "cheers",
    "best regards",
    "kind regards",
    "warm regards",
    "best wishes",
    "yours sincerely",
    "yours faithfully",
    "sincerely",
    "hallo",
    "guten",
    "liebe",
    "bonjour",
    "hola",
    "ciao",
];

/// Words of the longest greeting: a longer sentence states something.
const WORDS: usize = 8;

/// Whether a sentence is a greeting without a statement. `has_verb` detects a verb in a part of it.
pub(crate) fn is_greeting(sentence: &str, has_verb: impl Fn(&str) -> bool) -> bool {
    if COURTESIES.iter().any(|phrase| after(sentence, phrase).is_some()) {
        return true;
    }
    let short = sentence.split_whitespace().take(WORDS + 1).count() <= WORDS;
    let Some(rest) = after_greeting(sentence).filter(|_| short) else { return false };
    !has_verb(rest) && !rest.contains(|char: char| char.is_ascii_digit())
}

/// Bytes of a greeting before a statement, with its comma: "Hello Anna, the bridge was opened".
pub(crate) fn salutation(sentence: &str) -> usize {
    let Some(rest) = after_greeting(sentence) else { return 0 };
    let Some(comma) = rest.find(", ") else { return 0 };
    let called = rest.get(..comma).unwrap_or_default();
    if called.split_whitespace().count() > CALLED {
        return 0;
    }
    sentence.len().saturating_sub(rest.len()).saturating_add(comma).saturating_add(", ".len())
}

/// Words that name the reader at most.
const CALLED: usize = 4;

fn after_greeting(sentence: &str) -> Option<&str> {
    // A cause: "thanks to the gene, plants survive".
    if after(sentence, "thanks to").is_some() {
        return None;
    }
    GREETINGS.iter().find_map(|phrase| after(sentence, phrase))
}

/// What follows a phrase at the beginning, whose words end there.
fn after<'a>(sentence: &'a str, phrase: &str) -> Option<&'a str> {
    let (start, rest) = sentence.split_at_checked(phrase.len())?;
    let ends = !rest.starts_with(char::is_alphanumeric);
    (ends && start.eq_ignore_ascii_case(phrase)).then_some(rest)
}
