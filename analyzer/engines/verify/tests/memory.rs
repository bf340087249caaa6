//! Memory of a check for each byte of its texts: the API reserves 64 bytes (`ANALYSIS` in `api/guard/src/room.rs`).
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

use verify::{Source, Verify};

static MODEL: &[u8] = include_bytes!("../../../../models/verify.plm");

/// What the API reserves for each byte.
const MOST: usize = 64;

/// Memory of this process, in bytes: `VmRSS` now, `VmHWM` at most until now.
fn memory(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn texts_of_short_lines_stay_within_the_memory_that_is_reserved() {
    const SIZE: usize = 2 << 20;
    let verify = Verify::load(MODEL).unwrap();
    let word = |number: usize| -> String {
        let letters = [1, 26, 676, 17_576].map(|power| char::from(b'a' + (number / power % 26) as u8));
        letters.iter().collect()
    };
    let before = memory("VmRSS:");
    let units = [
        "a\n",
        "ab\n",
        "a. ",
        "a b\n",
        "a b c d\n",
        "abc def\n",
        "abcdefgh\n",
        "a ",
        "字",
        "字\n",
        "字。",
        "half ",
        "half the ",
        "a quarter of an ",
        "he a ",
        "and a half ",
    ];
    let mut texts: Vec<String> = units.iter().map(|unit| unit.repeat(SIZE / unit.len())).collect();
    texts.extend([' ', '\n'].map(|end| {
        (0..SIZE / 5).map(|number| word(number) + end.encode_utf8(&mut [0; 4])).collect::<String>()
    }));
    let own: usize = texts.iter().map(String::len).sum();
    for content in &texts {
        let source = Source { content, name: "page", url: None };
        verify.check("a b c", &[source], SIZE).unwrap();
        let each = memory("VmHWM:").saturating_sub(before + own) / SIZE;
        assert!(each <= MOST, "{each} bytes for each byte of {:?}", content.get(..9));
    }
}
