//! Addresses of China, Taiwan, Japan and Korea, from the largest part to the smallest.

use super::super::page::Page;

/// The most words, counted by changes between letters and digits.
const LONGEST: usize = 16;

/// Start and end, in bytes, of the address that begins with the word `index`.
pub(super) fn find(page: &Page<'_>, index: usize) -> Option<(usize, usize)> {
    let word = page.words.get(index)?;
    let first = page.part(word.start, word.end);
    if first.is_ascii() || !first.chars().next().is_some_and(is_eastern) {
        return None;
    }
    let mut end = word.end;
    for next in page.words.iter().skip(index + 1).take(LONGEST) {
        let gap = page.part(end, next.start);
        let text = page.part(next.start, next.end);
        let eastern = text.chars().next().is_some_and(is_eastern);
        let number =
            text.bytes().all(|byte| byte.is_ascii_alphanumeric()) && text.len() <= 6 && next.has_digit;
        let joined = matches!(gap, "" | "-" | "－" | "−" | " ");
        if !joined || !(eastern || number) {
            break;
        }
        end = next.end;
        if !number && gap == " " && !is_korean(text) {
            break;
        }
    }
    let run = page.part(word.start, end);
    let start = word.start + skip_label(run);
    let address = page.part(start, end);
    let kind = japanese(address).or_else(|| chinese(address)).or_else(|| korean(address))?;
    Some((start, start + kind))
}

fn is_eastern(letter: char) -> bool {
    ('\u{3040}'..='\u{30FF}').contains(&letter)
        || ('\u{3400}'..='\u{9FFF}').contains(&letter)
        || ('\u{AC00}'..='\u{D7AF}').contains(&letter)
}

fn is_korean(text: &str) -> bool {
    text.chars().next().is_some_and(|letter| ('\u{AC00}'..='\u{D7AF}').contains(&letter))
}

/// Length of the words before an address: up to the last of a few that introduce one.
fn skip_label(run: &str) -> usize {
    let heads =
        ["住址是", "地址是", "地址为", "住址", "地址", "住在", "位于", "住所は", "住所", "주소는", "주소"];
    heads.iter().find_map(|head| run.find(head).map(|at| at + head.len())).unwrap_or(0)
}

/// Offset behind the first of `signs` from `from` on.
fn behind(text: &str, from: usize, signs: &[char]) -> Option<usize> {
    let rest = text.get(from..)?;
    let (at, sign) = rest.char_indices().find(|(_, letter)| signs.contains(letter))?;
    Some(from + at + sign.len_utf8())
}

/// End of the numbers of a house and the signs between them, from `from` on.
fn number_end(text: &str, from: usize, signs: &[char]) -> Option<usize> {
    let rest = text.get(from..)?;
    let first = rest.find(|letter: char| letter.is_ascii_digit())?;
    let tail = rest.get(first..)?;
    let inside = |letter: char| {
        letter.is_ascii_digit() || matches!(letter, '-' | '－' | '−' | ' ') || signs.contains(&letter)
    };
    let length = tail.find(|letter: char| !inside(letter)).unwrap_or(tail.len());
    let numbers = tail.get(..length)?.trim_end_matches([' ', '-', '－', '−']);
    (first <= 24).then_some(from + first + numbers.len())
}

fn japanese(text: &str) -> Option<usize> {
    let prefecture = behind(text, 0, &['都', '道', '府', '県'])?;
    let town = behind(text, prefecture, &['市', '区', '町', '村', '郡'])?;
    number_end(text, town, &['丁', '目', '番', '地', '号', '室', '階'])
}

fn chinese(text: &str) -> Option<usize> {
    let district = behind(text, 0, &['省', '市', '区', '县', '區', '縣'])?;
    let road = behind(text, district, &['路', '街', '道', '巷', '弄', '里', '村', '段'])?;
    number_end(text, road, &['号', '號', '楼', '樓', '室', '栋', '单', '元', '层'])
}

fn korean(text: &str) -> Option<usize> {
    let city = behind(text, 0, &['시', '도', '구', '군'])?;
    let road = behind(text, city, &['로', '길', '동'])?;
    number_end(text, road, &['호', '층', '번', '지', '동'])
}
