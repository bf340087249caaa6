//! A file to lines with few comments: their words are those that the author chose for readers.

use code_signals::Language;

/// Bytes of a line; longer ones, as minified code has them, are several pieces.
const LONGEST: usize = 600;

/// A piece of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// Number of the line in the file, from 1.
    pub(crate) number: u32,
    pub(crate) text: &'t [u8],
}

/// Characters of code, none of which stands in a comment behind code that is left out: code cannot hide in it.
const OF_CODE: &[u8] = b"(){}[]=;`'\"";

/// Lines with code, in order. Comments are left out where nothing that executes can stand in them; other ones are read.
pub(crate) fn lines(text: &[u8], language: Language) -> Vec<Line<'_>> {
    let has_blocks = matches!(language, Language::JavaScript | Language::TypeScript | Language::Go);
    let mark: &[u8] = if has_blocks { b"//" } else { b"#" };
    let mut lines = Vec::new();
    let mut in_block = false;
    for (number, line) in (1_u32..).zip(text.split(|byte| *byte == b'\n')) {
        // Compilers end a line at a carriage return too.
        for part in line.split(|byte| *byte == b'\r') {
            let code = if has_blocks { without_blocks(part, &mut in_block) } else { part };
            let code = without_comment(code, mark).trim_ascii();
            lines.extend(code.chunks(LONGEST).map(|text| Line { number, text }));
        }
    }
    lines
}

/// The part of a line behind comments in blocks at its beginning.
fn without_blocks<'t>(line: &'t [u8], in_block: &mut bool) -> &'t [u8] {
    let mut rest = line.trim_ascii_start();
    loop {
        if *in_block {
            let Some(end) = memchr::memmem::find(rest, b"*/") else { return &[] };
            *in_block = false;
            rest = rest.get(end + 2..).unwrap_or_default().trim_ascii_start();
        }
        let Some(behind) = rest.strip_prefix(b"/*") else { return rest };
        (*in_block, rest) = (true, behind);
    }
}

/// The part of a line before a comment at its end: a whole line, or prose without characters of code.
fn without_comment<'t>(line: &'t [u8], mark: &[u8]) -> &'t [u8] {
    if line.trim_ascii_start().starts_with(mark) {
        return &[];
    }
    let Some(place) = memchr::memmem::rfind(line, mark) else { return line };
    let (code, comment) = line.split_at_checked(place).unwrap_or((line, &[]));
    let is_apart = code.last().is_some_and(u8::is_ascii_whitespace);
    if is_apart && !comment.iter().any(|byte| OF_CODE.contains(byte)) { code } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, language: Language) -> Vec<(u32, String)> {
        let lines = lines(text.as_bytes(), language);
        lines.iter().map(|line| (line.number, String::from_utf8_lossy(line.text).into_owned())).collect()
    }

    #[test]
    fn comments_are_left_out_and_code_beside_them_is_read() {
        let found = of("/* a\n b */ x();\n// c\ny(); // d e\n/**/ /* f */z();\n", Language::JavaScript);
        let expected = [(2, "x();"), (4, "y();"), (5, "z();")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
        let found = of("# a\nx = 1  # b c\n", Language::Python);
        assert_eq!(found, [(2, "x = 1".to_owned())]);
    }

    #[test]
    fn code_does_not_hide_in_forms_of_comments() {
        for line in [
            "0/**/;payload()",
            "x = /[/*]/; payload()",
            "s.replace(/\\//g, ''); payload()",
            "// x\rpayload()",
        ] {
            let found = of(line, Language::JavaScript);
            assert!(found.iter().any(|(_, text)| text.contains("payload()")), "{line}: {found:?}");
        }
        let found = of(&"/**/".repeat(200_000), Language::JavaScript);
        assert_eq!(found, []);
    }
}
