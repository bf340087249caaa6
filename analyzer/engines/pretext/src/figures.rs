//! Figures of a text: amounts of money, codes that a text gives to its reader, telephone numbers, accounts, wallets.

use text::{Hit, Word};

use crate::lexicon::Class;

/// Digits of a telephone number.
const TELEPHONE: std::ops::RangeInclusive<usize> = 9..=14;
/// Letters and digits of a bank account (ISO 13616) at least, and of a wallet at most.
const ACCOUNT: usize = 15;
const WALLET: std::ops::RangeInclusive<usize> = 26..=64;
/// Words that such a number is divided into at most.
const GROUPS: usize = 9;

/// Currencies behind or before an amount, folded, with the amount below which it is small.
const CURRENCIES: [(&str, u32); 18] = [
    ("€", 5),
    ("£", 5),
    ("$", 5),
    ("euro", 5),
    ("eur", 5),
    ("gbp", 5),
    ("usd", 5),
    ("pound", 5),
    ("dollar", 5),
    ("chf", 5),
    ("zł", 15),
    ("zl", 15),
    ("pln", 15),
    ("kr", 60),
    ("sek", 60),
    ("r$", 20),
    ("reais", 20),
    ("brl", 20),
];
/// Beginnings and ends of words for codes.
const CODES: [&str; 7] = ["code", "kode", "codigo", "codice", "kod", "pin", "passcode"];
/// Digits of a code, and words between its name and it at most.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
const BETWEEN: usize = 6;

fn spelling<'t>(folded: &'t str, word: &Word) -> &'t str {
    folded.get(word.range()).unwrap_or_default()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Small amounts, as hits of the class of fees.
pub(crate) fn amounts(folded: &str, words: &[Word]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let digits = spelling(folded, word);
        // An amount of more digits, or the decimals of another one, is none.
        if !is_number(digits) || digits.len() > 2 {
            continue;
        }
        let joined = words.get(place + 1).filter(|next| {
            let between = folded.get(word.end as usize..next.start as usize);
            matches!(between, Some("," | ".")) && is_number(spelling(folded, next))
        });
        let decimals = joined.filter(|next| spelling(folded, next).len() == 2);
        if joined.is_some() && decimals.is_none() {
            continue;
        }
        let before = folded.get(..word.start as usize).unwrap_or_default();
        if before.ends_with([',', '.'])
            && before.trim_end_matches([',', '.']).ends_with(|sign: char| sign.is_ascii_digit())
        {
            continue;
        }
        let last = decimals.unwrap_or(word);
        let behind = folded.get(last.end as usize..).unwrap_or_default().trim_start();
        let currency = CURRENCIES.iter().find(|(name, _)| {
            let is_sign = name.chars().any(|sign| !sign.is_alphanumeric());
            behind.strip_prefix(name).is_some_and(|rest| {
                is_sign || !rest.starts_with(char::is_alphanumeric) || rest.starts_with('s')
            }) || before.trim_end().ends_with(name) && (is_sign || before.ends_with(' '))
        });
        let is_small = |(_, limit): &(&str, u32)| digits.parse::<u32>().is_ok_and(|value| value < *limit);
        if currency.is_some_and(is_small) {
            let last = place + usize::from(decimals.is_some());
            hits.push(Hit { classes: Class::Fee.bit(), first: place, last });
        }
    }
    hits
}

/// Places of codes that the text gives: a text that has the code does not ask for it.
fn codes(folded: &str, words: &[Word]) -> Vec<usize> {
    let mut codes = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let name = spelling(folded, word);
        if !CODES.iter().any(|code| name.starts_with(code) || name.ends_with(code)) {
            continue;
        }
        let next: Vec<&str> =
            words.iter().skip(place + 1).take(BETWEEN).map(|word| spelling(folded, word)).collect();
        let is_whole = next.iter().any(|word| is_number(word) && DIGITS.contains(&word.len()));
        let is_split = next.windows(2).any(|pair| pair.iter().all(|word| is_number(word) && word.len() == 3));
        if is_whole || is_split {
            codes.push(place);
        }
    }
    codes
}

/// Names of figures of a text with the word at which each begins, in order.
pub(crate) fn all(folded: &str, words: &[Word]) -> Vec<(usize, &'static str)> {
    let mut figures: Vec<(usize, &'static str)> =
        codes(folded, words).into_iter().map(|place| (place, "code")).collect();
    let mut next = 0;
    for (place, word) in words.iter().enumerate() {
        let spelled = spelling(folded, word);
        let has_currency = CURRENCIES.iter().any(|(name, _)| {
            !name.bytes().all(|byte| byte.is_ascii_alphabetic())
                && folded
                    .get(word.end as usize..)
                    .is_some_and(|rest| rest.trim_start_matches(' ').starts_with(name))
        });
        if is_number(spelled) && (has_currency || follows_currency(folded, word)) {
            figures.push((place, "amount"));
        }
        if place >= next {
            let (name, groups) = long_number(folded, words, place);
            figures.extend(name.map(|name| (place, name)));
            next = place + groups;
        }
    }
    figures.sort_unstable();
    figures
}

/// Whether a sign of a currency stands directly before a word.
fn follows_currency(folded: &str, word: &Word) -> bool {
    let before = folded.get(..word.start as usize).unwrap_or_default();
    before.trim_end_matches(' ').ends_with(['€', '$', '£'])
}

/// A number of several groups that begins at a word, and the words that it has.
fn long_number(folded: &str, words: &[Word], place: usize) -> (Option<&'static str>, usize) {
    let Some(first) = words.get(place).map(|word| spelling(folded, word)) else { return (None, 1) };
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    if WALLET.contains(&first.len())
        && has_digit(first)
        && first.bytes().any(|byte| byte.is_ascii_lowercase())
    {
        return (Some("wallet"), 1);
    }
    let is_account = first.len() >= 4
        && first.bytes().take(2).all(|byte| byte.is_ascii_lowercase())
        && first.bytes().skip(2).take(2).all(|byte| byte.is_ascii_digit());
    if !is_account && !is_number(first) {
        return (None, 1);
    }
    let next = words.iter().skip(place).take(GROUPS).map(|word| spelling(folded, word));
    let groups: Vec<&str> = if is_account {
        next.take_while(|word| has_digit(word)).collect()
    } else {
        next.take_while(|word| is_number(word)).collect()
    };
    let length: usize = groups.iter().map(|group| group.len()).sum();
    let name = match is_account {
        true if length >= ACCOUNT => Some("account"),
        false if TELEPHONE.contains(&length) && groups.len() > 1 => Some("telephone"),
        _ => None,
    };
    (name, groups.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::{fold, words};

    #[test]
    fn small_amounts_are_found_with_their_currency() {
        let count = |text: &str| {
            let folded = fold(text).text;
            amounts(&folded, &words(&folded)).len()
        };
        for text in
            ["pay 1,95 €", "a fee of $2.99", "EUR 1.50", "3 euros", "1.45 GBP", "19 kr", "dopłać 1,20 zł"]
        {
            assert_eq!(count(text), 1, "{text}");
        }
        for text in ["12,99 €", "EUR 1.500,00", "119,00 Euro", "5 keys", "version 1.95", "1.45 grams"] {
            assert_eq!(count(text), 0, "{text}");
        }
    }

    #[test]
    fn codes_that_are_given_are_found_and_requests_are_not() {
        let count = |text: &str| {
            let folded = fold(text).text;
            codes(&folded, &words(&folded)).len()
        };
        for text in
            ["Your code is 4471.", "use this code: 482 913", "Abholcode für die Packstation lautet 7731"]
        {
            assert_eq!(count(text), 1, "{text}");
        }
        assert_eq!(count("enter the 6 digit code that you get by SMS"), 0);
    }
}
