//! Scripts that unpack themselves: code in strings that the script decodes and executes, or files that it assembles for a download.

use crate::artifact::Severity;

/// Calls that execute a string or write it as a page.
const EXECUTE: [&str; 6] =
    ["eval(", "Function(", "document.write(", "setTimeout(\"", "execScript(", ".innerHTML="];
/// Calls that decode a string.
const DECODE: [&str; 6] =
    ["atob(", "unescape(", "fromCharCode", "decodeURIComponent(", "charCodeAt(", "TextDecoder("];
/// Calls that give the reader a file which the script made.
const SAVE: [&str; 4] = ["msSaveOrOpenBlob", "createObjectURL(", "new Blob(", "data:application/"];
/// Packer of Dean Edwards.
const PACKER: &str = "eval(function(p,a,c,k,e,";
/// Length from which on a literal is a payload. Longer literals of honest scripts are pictures and fonts.
const LONG: usize = 1_024;
/// Length of a literal that is executed.
const SHORT: usize = 128;

/// The way in which a script unpacks itself, with its severity.
pub(super) fn packed(code: &str) -> Option<(Severity, &'static str)> {
    let dense: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    let has = |words: &[&str]| words.iter().any(|word| dense.contains(word));
    if dense.contains(PACKER) {
        return Some((Severity::Medium, "a packed script"));
    }
    let longest = longest_literal(&dense);
    if has(&EXECUTE) && has(&DECODE) && longest >= SHORT {
        return Some((Severity::High, "a script that decodes and executes a string"));
    }
    if longest >= LONG && has(&SAVE) && has(&DECODE) && dense.contains(".click()") {
        return Some((Severity::High, "a script that assembles a file for a download"));
    }
    None
}

/// Longest string of letters, digits and signs of encodings between quotation marks, or of escapes.
fn longest_literal(code: &str) -> usize {
    let is_payload = |char: char| {
        char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=' | '%' | '\\' | '_' | '-' | ',')
    };
    let mut longest = 0;
    let mut current = 0;
    for char in code.chars() {
        if is_payload(char) {
            current += 1;
            longest = longest.max(current);
        } else {
            current = 0;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_unpack_themselves_are_found_and_ordinary_ones_are_not() {
        let payload = "aWYoMSl7YWxlcnQoMSl9".repeat(60);
        for code in [
            format!("eval(atob('{payload}'))"),
            format!("document.write( unescape ( \"{}\" ) );", "%3Cscript%3E".repeat(40)),
            "eval(function(p,a,c,k,e,d){return p}('0',1,1,'a'.split('|'),0,{}))".to_owned(),
            format!(
                "const a=atob('{payload}');const b=new Blob([a]);link.href=URL.createObjectURL(b);link.click()"
            ),
        ] {
            assert!(packed(&code).is_some(), "{code}");
        }
        for code in [
            "document.getElementById('menu').addEventListener('click', () => toggle());".to_owned(),
            "const token = JSON.parse(atob(jwt.split('.')[1])); show(token.name);".to_owned(),
            format!("const icon = 'data:image/png;base64,{payload}'; img.src = icon;"),
            "window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments);}"
                .to_owned(),
        ] {
            assert_eq!(packed(&code), None, "{code}");
        }
    }
}
