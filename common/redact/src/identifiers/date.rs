//! Dates in figures and words; beside a label of birth they are dates of birth. Ages.

pub(crate) mod months;

use super::entity::Entity;
use super::format::label::{AGE, BIRTH};
use super::overlap::{Candidate, Rank};
use super::page::Page;
use super::vocabulary::MONTH;
use super::words::Word;

/// Words that may stand between the parts of a date: `3 de mayo de 1990`, `3rd of May`.
const BETWEEN: [&str; 12] = ["de", "of", "del", "den", "th", "st", "nd", "rd", "the", "of the", "du", "der"];

/// Every date and age.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    let mut resume = 0;
    for (index, word) in page.words.iter().enumerate() {
        if word.start < resume || page.is_in_url(word.start, word.end) || page.is_opaque(word.start, word.end)
        {
            continue;
        }
        if let Some((end, whole)) = date_end(page, index) {
            if !stands_apart(page.bytes(), word.start, end) {
                continue;
            }
            resume = end;
            let context = page.context(index);
            let born = context.distance(BIRTH, "").or_else(|| page.named_behind(end, BIRTH, ""));
            push(found, word.start, end, born, whole);
        } else if word.has_digit {
            found.extend(age(page, index, word));
        }
    }
}

fn push(found: &mut Vec<Candidate>, start: usize, end: usize, born: Option<u32>, whole: bool) {
    let entity = Entity::Date;
    if whole {
        found.push(Candidate { start, end, entity, reason: "date", rank: Rank::Weak, distance: 0 });
    }
    if let Some(distance) = born {
        let entity = Entity::DateOfBirth;
        found.push(Candidate { start, end, entity, reason: "date of birth", rank: Rank::Born, distance });
    }
}

/// End of the date that begins with the word `index`, and whether it has a year.
fn date_end(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let word = page.words.get(index)?;
    if word.has_digit {
        return in_figures(page, index).or_else(|| day_first(page, index)).or_else(|| in_signs(page, index));
    }
    month_first(page, index)
}

fn text<'a>(page: &Page<'a>, index: usize) -> &'a str {
    page.words.get(index).map_or("", |word| page.part(word.start, word.end))
}

/// What stands between a word and the next.
fn gap<'a>(page: &Page<'a>, index: usize) -> &'a str {
    let (one, next) = (page.words.get(index), page.words.get(index + 1));
    one.zip(next).map_or("", |(one, next)| page.part(one.end, next.start))
}

fn number(text: &str) -> Option<u32> {
    (text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && number(text).is_some_and(|year| (1850..=2100).contains(&year))
}

fn is_day(text: &str) -> bool {
    text.len() <= 2 && number(text).is_some_and(|day| (1..=31).contains(&day))
}

/// Three numbers with the same sign between them: `1990-05-03`, `3.5.1990`, `03/05/90`.
fn in_figures(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let sign = gap(page, index);
    // Hungarian puts a blank behind the full stops.
    if !matches!(sign, "-" | "." | "/" | ". " | " " | "–") || gap(page, index + 1) != sign {
        return None;
    }
    let [one, two, three] = [index, index + 1, index + 2].map(|index| text(page, index));
    let end = page.words.get(index + 2)?.end;
    let year_first = is_year(one) && is_day(two) && is_day(three) && number(two)? <= 12;
    let month = |text: &str| number(text).is_some_and(|month| (1..=12).contains(&month));
    let years = is_year(three) || (three.len() == 2 && number(three).is_some() && sign != " ");
    let year_last = is_day(one) && is_day(two) && years && (month(one) || month(two));
    // ISO 8601 may go on with a time.
    let time = page.part(end, end + 1) == "T";
    ((year_first || year_last) && !time).then_some((end, true)).or_else(|| {
        let date = three.split_once('T').is_some_and(|(day, _)| is_day(day)) && is_year(one);
        date.then(|| (page.words.get(index + 2).map_or(end, |word| word.start + 2), true))
    })
}

/// `3 May 1990`, `3rd of May, 1990`, `3. Mai 1990`, `3 de mayo de 1990`.
fn day_first(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let day = text(page, index).trim_end_matches(|letter: char| letter.is_ascii_lowercase() || letter == 'º');
    let suffix = text(page, index).len() - day.len();
    if !is_day(day) || suffix > 2 {
        return None;
    }
    let month = skip_between(page, index + 1)?;
    if !is_month(page, month) || page.words.get(month)?.start > page.words.get(index)?.end + 16 {
        return None;
    }
    with_year(page, month)
}

/// `May 3, 1990`, `May 3rd 1990`, `May 1990`.
fn month_first(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let capital = text(page, index).chars().next().is_some_and(char::is_uppercase);
    if !is_month(page, index) || !(capital || text(page, index).len() > 4) || gap(page, index).len() > 3 {
        return None;
    }
    if is_year(text(page, index + 1)) {
        return page.words.get(index + 1).map(|word| (word.end, true));
    }
    let day = text(page, index + 1).trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    if !is_day(day) { None } else { with_year(page, index + 1) }
}

/// End of the part of a date that ends with the word `index`, with a year behind it where one stands there.
fn with_year(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let end = page.words.get(index)?.end;
    let Some(year) = skip_between(page, index + 1) else { return Some((end, false)) };
    let near =
        page.words.get(year).filter(|word| word.start <= end + 8 && is_year(page.part(word.start, word.end)));
    Some(near.map_or((end, false), |word| (word.end, true)))
}

/// The first word from `index` on that is not one of those that join parts of a date; at most two are skipped.
fn skip_between(page: &Page<'_>, index: usize) -> Option<usize> {
    (index..index + 3).find(|at| !BETWEEN.contains(&text(page, *at))).filter(|at| *at < page.words.len())
}

fn is_month(page: &Page<'_>, index: usize) -> bool {
    page.has(index, MONTH)
}

/// `1990年5月3日`, `1990년 5월 3일`.
fn in_signs(page: &Page<'_>, index: usize) -> Option<(usize, bool)> {
    let word = page.words.get(index)?;
    if !is_year(text(page, index)) {
        return None;
    }
    let mut at = word.end;
    for signs in [["年", "년"], ["月", "월"], ["日", "일"]] {
        let rest =
            page.text.get(at..)?.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit());
        let skipped = page.text.len() - at - rest.len();
        let sign = signs.into_iter().find(|sign| rest.starts_with(sign))?;
        if skipped > 4 {
            return None;
        }
        at += skipped + sign.len();
    }
    Some((at, true))
}

fn stands_apart(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let behind = bytes.get(end).copied().unwrap_or(0);
    let next = bytes.get(end + 1).copied().unwrap_or(0);
    let joined = matches!(before, b'_' | b'@' | b'-' | b'.' | b'/' | b'#' | b'$');
    let continued = matches!(behind, b'-' | b'/' | b'.' | b'_') && next.is_ascii_digit();
    !joined && !continued
}

/// `aged 45`, `45 years old`, `45-year-old`, `45 Jahre alt`, `45 ans`.
fn age(page: &Page<'_>, index: usize, word: &Word) -> Option<Candidate> {
    let years = text(page, index);
    if years.len() > 3 || !number(years).is_some_and(|age| (1..=120).contains(&age)) {
        return None;
    }
    let next = |on: usize| text(page, index + on).to_lowercase();
    let old = match next(1).as_str() {
        "year" | "years" | "yr" | "yrs" => matches!(next(2).as_str(), "old" | "of"),
        "yo" | "y" => next(1) == "yo" || next(2) == "o",
        "jahre" | "jahren" => matches!(next(2).as_str(), "alt" | "alte" | "alter"),
        "ans" | "años" | "anni" | "anos" | "лет" | "года" | "岁" | "歳" | "세" | "살" | "lat" | "lata" => {
            true
        }
        "jaar" => next(2) == "oud",
        "yaşında" | "yaşındaki" | "jährige" | "jähriger" | "vuotias" | "éves" => true,
        _ => page.context(index).distance(AGE, "").is_some_and(|distance| distance <= 2),
    };
    let end = word.end;
    let entity = Entity::Age;
    old.then_some(Candidate { start: word.start, end, entity, reason: "age", rank: Rank::Weak, distance: 0 })
}
