//! An explanation of a record as a block of plain text. Texts of logs and rules are escaped, so that none of them can
//! control the terminal.

use std::fmt::Write;

use analyzer::explain::{Consequence, CountedBy, Explanation, NearMatch, RuleMatch, Source};
use sigma::explain::{Miss, Observed};

/// The block, followed by an empty line.
pub(super) fn of(line: u64, explanation: &Explanation) -> String {
    let mut block = Block(String::new());
    block.line(0, &format!("line {line}: {}", shown(&explanation.result)));
    block.line(1, &format!("format      {}", explanation.format.unwrap_or("not recognised")));
    if explanation.partial {
        block.line(1, "partial     its structure could be read only in part");
    }
    if explanation.events > 1 {
        block.line(1, &format!("events      it stands for {} equal lines", explanation.events));
    }
    block.line(1, &format!("log source  {}", source(&explanation.log_source)));
    block.fields(explanation);
    block.line(1, if explanation.matches.is_empty() { "matched     none" } else { "matched" });
    explanation.matches.iter().for_each(|found| block.matched(found));
    block.more(2, explanation.more_matches, "rules");
    block.line(
        1,
        if explanation.near.is_empty() { "nearly      none" } else { "nearly matched (one item decides)" },
    );
    explanation.near.iter().for_each(|near| block.near(near));
    block.more(2, explanation.more_near, "rules");
    block.0.push('\n');
    block.0
}

struct Block(String);

impl Block {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:width$}{text}", "", width = 2 * depth);
    }

    /// Notes that a list was cut: a block stays readable whatever a line contains.
    fn more(&mut self, depth: usize, count: usize, what: &str) {
        if count > 0 {
            self.line(depth, &format!("({what} beyond the first ones are not shown: {count})"));
        }
    }

    fn fields(&mut self, explanation: &Explanation) {
        self.line(1, if explanation.fields.is_empty() { "fields      none" } else { "fields" });
        let width =
            explanation.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or(0).min(32);
        for field in &explanation.fields {
            self.line(2, &format!("{:width$}  {}", shown(&field.name), shown(&field.value)));
        }
        self.more(2, explanation.more_fields, "fields");
    }

    fn matched(&mut self, found: &RuleMatch) {
        self.line(2, &titled(&found.title, found.level, &found.rule_id));
        self.line(3, &consequence(found));
        found.counted_by.iter().for_each(|counted| self.counted(counted));
        self.more(3, found.more_counted_by, "correlations");
    }

    fn counted(&mut self, counted: &CountedBy) {
        let CountedBy { threshold, title, level, correlation_id, .. } = counted;
        self.line(
            3,
            &format!("counts towards {}: {}", titled(title, *level, correlation_id), shown(threshold)),
        );
        for group in &counted.group_by {
            let value = group.value.as_deref().map_or_else(|| "absent".to_owned(), quoted);
            self.line(4, &format!("{} = {value}", shown(&group.field)));
        }
        if let Some(reason) = &counted.not_counted {
            self.line(4, &format!("not counted: {}", shown(reason)));
        }
        for outer in &counted.counted_by {
            self.line(4, &format!("which counts towards {}", quoted(outer)));
        }
    }

    fn near(&mut self, near: &NearMatch) {
        self.line(2, &titled(&near.title, near.level, &near.rule_id));
        let items = if near.held == 1 {
            "1 other item holds".to_owned()
        } else {
            format!("{} other items hold", near.held)
        };
        let alternatives = near.misses.len() + near.more_misses;
        let one_of = if alternatives > 1 {
            format!("; any one of {alternatives} would be enough")
        } else {
            String::new()
        };
        self.line(3, &format!("{items}{one_of}"));
        near.misses.iter().for_each(|miss| self.miss(miss));
    }

    fn miss(&mut self, miss: &Miss) {
        let key = if miss.key.is_empty() { "keyword" } else { &miss.key };
        let expected: Vec<String> = miss.values.iter().map(|value| quoted(value)).collect();
        let more =
            if miss.more_values > 0 { format!(" or {} more", miss.more_values) } else { String::new() };
        let verb = if miss.should_hold { "expected" } else { "excluded by" };
        let found = found(miss);
        self.line(
            3,
            &format!(
                "{}: {}: {verb} {}{more}, {found}",
                shown(&miss.selection),
                shown(key),
                expected.join(" or ")
            ),
        );
    }
}

fn found(miss: &Miss) -> String {
    match &miss.found {
        Observed::Absent => format!("the field is absent ({})", shown(&miss.names.join(", "))),
        Observed::Null => "the field has no value".to_owned(),
        Observed::Everything => "all values were searched".to_owned(),
        Observed::Values { values, more } => {
            let told: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
            format!("found {}{more}", told.join(", "))
        }
    }
}

fn consequence(found: &RuleMatch) -> String {
    let entity = format!("{} {}", shown(&found.entity.kind), shown(&found.entity.value));
    match found.leads_to {
        Consequence::Incident => format!("opens an incident on its own, about {entity}"),
        Consequence::Risk { points } => {
            format!("{points} points of risk, about {entity}; 100 points within a day open an incident")
        }
        Consequence::Counted => "no incident on its own: only counted by correlations".to_owned(),
        Consequence::None => "no incident on its own: it is informational".to_owned(),
        Consequence::Inconclusive => "no incident: the record could be evaluated only in part".to_owned(),
        Consequence::Suppressed => {
            let filter = found.suppressed_by.as_deref().unwrap_or_default();
            format!("no incident: suppressed by filter {}", quoted(filter))
        }
    }
}

fn titled(title: &str, level: Option<&str>, id: &str) -> String {
    format!("{} ({}, {})", quoted(title), level.unwrap_or("no level"), shown(id))
}

fn source(source: &Source) -> String {
    let dimensions =
        [("product", &source.product), ("category", &source.category), ("service", &source.service)];
    let told = dimensions
        .map(|(name, value)| format!("{name} {}", value.as_deref().map_or_else(|| "-".to_owned(), shown)));
    told.join(", ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", shown(text))
}

/// The text with control characters, and those that reorder others, escaped.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_reordering =
            matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character.is_control() || is_reordering {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_logs_cannot_control_the_terminal() {
        assert_eq!(shown("a\u{1b}[31mb\r\n\u{202e}c é"), "a\\u{1b}[31mb\\r\\n\\u{202e}c é");
    }
}
