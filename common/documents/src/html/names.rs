//! Properties of element names (HTML standard, "Parsing HTML documents" and "Rendering").

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tree::Name;

/// Has no content.
pub(super) const VOID: u32 = 1;
/// A start tag ends an open paragraph.
pub(super) const ENDS_PARAGRAPH: u32 = 1 << 1;
/// A block for the parser: an end tag of another element does not reach across it.
pub(super) const SPECIAL: u32 = 1 << 2;
/// Changes the form of text; continued in the next block if it is not ended.
pub(super) const FORMATTING: u32 = 1 << 3;
/// Ends the search for an open element.
pub(super) const SCOPE: u32 = 1 << 4;
/// Text of it and text around it do not belong together.
pub(super) const BLOCK: u32 = 1 << 5;
/// Ends SVG and MathML.
pub(super) const ENDS_FOREIGN: u32 = 1 << 6;
pub(super) const HEADING: u32 = 1 << 7;
/// Is not rendered, whatever styles say, or has `display: none` by default.
pub(super) const UNRENDERED: u32 = 1 << 8;
/// Content without markup.
pub(super) const RAW: u32 = 1 << 9;
/// Content with character references and without markup.
pub(super) const REFERENCES_ONLY: u32 = 1 << 10;
/// Part of a table that contains no text itself.
pub(super) const TABLE_PART: u32 = 1 << 11;
/// Formatting before it ends with it.
pub(super) const MARKER: u32 = 1 << 12;
/// Spaces and line breaks are kept.
pub(super) const PREFORMATTED: u32 = 1 << 13;

const GROUPS: &[(u32, &str)] = &[
    (
        VOID,
        "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr",
    ),
    (
        ENDS_PARAGRAPH | BLOCK,
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 \
         header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp li dd dt",
    ),
    (
        BLOCK,
        "body html td th tr caption option optgroup legend select textarea button iframe object video audio canvas svg title",
    ),
    (
        SPECIAL,
        "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir \
         div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe \
         img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script \
         search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
    ),
    (FORMATTING, "a b big code em font i nobr s small strike strong tt u"),
    (SCOPE, "applet caption html table td th marquee object template"),
    (MARKER, "applet caption td th marquee object template"),
    (
        ENDS_FOREIGN,
        "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p \
         pre ruby s small span strong strike sub sup table tt u ul var",
    ),
    (HEADING, "h1 h2 h3 h4 h5 h6"),
    (
        UNRENDERED,
        "head template noscript datalist param rp base basefont link meta noembed noframes iframe audio video canvas frame \
         frameset source track",
    ),
    (RAW, "style iframe xmp noembed noframes noscript script plaintext"),
    (REFERENCES_ONLY, "title textarea"),
    (TABLE_PART, "table tbody thead tfoot tr"),
    (PREFORMATTED, "pre textarea xmp plaintext listing"),
];

static FLAGS: LazyLock<HashMap<Name, u32>> = LazyLock::new(|| {
    let mut flags: HashMap<Name, u32> = HashMap::new();
    for (flag, names) in GROUPS {
        for name in names.split_ascii_whitespace() {
            *flags.entry(Name::new(name.as_bytes())).or_default() |= flag;
        }
    }
    flags
});

/// Properties of a name.
pub(super) fn flags(name: Name) -> u32 {
    FLAGS.get(&name).copied().unwrap_or_default()
}
