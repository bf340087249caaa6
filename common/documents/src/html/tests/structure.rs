//! Trees of pages whose markup has gaps and errors, compared with those of browsers by the text that stays visible.

use super::*;

#[test]
fn implied_end_tags_end_hidden_elements() {
    for (page, expected) in [
        ("<p style='display:none'>no<p>yes", vec!["yes"]),
        ("<ul><li style='display:none'>no<li>yes</ul>", vec!["yes"]),
        ("<dl><dt style='display:none'>no<dd>yes</dl>", vec!["yes"]),
        ("<p style='display:none'>no<div>yes</div>", vec!["yes"]),
        ("<p style='display:none'>no<span>no</span></p>yes", vec!["yes"]),
        ("<table><tr><td style='display:none'>no<td>yes<tr><td>yes</table>", vec!["yes", "yes"]),
        ("<table><tr style='display:none'><td>no<tr><td>yes</table>", vec!["yes"]),
        ("<select><option style='display:none'>no<option>yes</select>", vec!["yes"]),
        ("<h1 style='display:none'>no</h2>yes", vec!["yes"]),
        ("<a style='display:none'>no<a>yes</a>", vec!["yes"]),
        ("<button style='display:none'>no<button>yes</button>", vec!["yes"]),
        ("<img style='display:none'>yes", vec!["yes"]),
        ("<br style='display:none'>yes", vec!["yes"]),
        ("<div style='display:none'/>no</div>yes", vec!["yes"]),
        ("<p style='display:none'>no<p/>yes", vec!["yes"]),
    ] {
        assert_eq!(visible(page), expected, "{page}");
    }
}

#[test]
fn end_tags_reach_as_far_as_in_browsers() {
    for (page, expected) in [
        // An end tag without an element is ignored.
        ("<div style='display:none'>no</p></section></x>no</div>yes", vec!["yes"]),
        // A block ends the search for an inline element, a cell that for a block.
        ("<span style='display:none'><div>no</span>no</div></span>yes", vec!["yes"]),
        ("<div style='display:none'><table><tr><td></div>no</table></div>yes", vec!["yes"]),
        // Ends of body and page change nothing.
        ("<div style='display:none'>no</body></html>no</div>yes", vec!["yes"]),
    ] {
        assert_eq!(visible(page), expected, "{page}");
    }
}

#[test]
fn formatting_continues_in_the_next_block_and_ends_within_one() {
    for (page, expected) in [
        ("<p><b style='display:none'>no<p>no</b>yes", vec!["yes"]),
        ("<b style='display:none'><div>no</b>yes</div>", vec!["yes"]),
        ("<table><tr><td><b style='display:none'>no<td>yes</table>", vec!["yes"]),
        ("<i><b style='display:none'>no</i>no</b>yes", vec!["yes"]),
    ] {
        assert_eq!(visible(page), expected, "{page}");
    }
}

#[test]
fn text_that_a_table_moves_out_is_not_hidden_by_it() {
    assert_eq!(visible("<table style='display:none'>yes<tr>yes<td>no</table>"), ["yesyes"]);
    assert_eq!(visible("<table style='display:none'><tr><div>yes</div><td>no</table>"), ["yes"]);
    assert_eq!(visible("<table><caption style='display:none'>no</caption><tr><td>yes</table>"), ["yes"]);
}

#[test]
fn content_without_markup_is_read_as_such() {
    assert_eq!(visible("<textarea><b>a</b> &amp;</textarea><xmp><p>b</xmp>c"), ["<b>a</b> &", "<p>b", "c"]);
    assert_eq!(visible("<style><p>no</p></style><script>'<p>no</p>'</script>yes"), ["yes"]);
    assert_eq!(visible("a<plaintext><p>b</plaintext>"), ["a", "<p>b</plaintext>"]);
    // Within SVG a style element may contain HTML, which ends the drawing.
    assert_eq!(visible("<svg><style><p>yes</p></style></svg>"), ["yes"]);
    assert_eq!(
        visible("<svg><text>yes</text><desc><p>no</p></desc><defs><text>no</text></defs></svg>"),
        ["yes"]
    );
    assert_eq!(visible("<svg><foreignObject><div>yes</div></foreignObject></svg>"), ["yes"]);
    assert_eq!(visible("<template shadowrootmode=open>yes</template>"), ["yes"]);
}

#[test]
fn runs_are_blocks_with_their_place() {
    let page = read("<title>t</title>\n<p>one <b>two</b>\n three<br>four</p>\n<pre>a\n  b</pre>");
    let runs: Vec<_> = page.document.runs.iter().map(|run| (run.text.as_str(), run.position)).collect();
    let at = |offset, line| Position::Source { part: 0, offset, line };
    assert_eq!(runs, [("t", at(7, 1)), ("one two three\nfour", at(20, 2)), ("a\n  b", at(59, 4))]);
}

#[test]
fn attributes_of_later_root_tags_count() {
    assert_eq!(visible("text<body style='display:none'>"), Vec::<String>::new());
    assert_eq!(read("<p>a<html lang=de>").language.as_deref(), Some("de"));
    assert_eq!(visible("<body style='display:block'><body style='display:none'>yes"), ["yes"]);
}
