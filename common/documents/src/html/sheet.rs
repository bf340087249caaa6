//! Style sheets to rules, and the rules of an element in the order of their rank.

use std::collections::HashMap;

use super::css::{Declared, Pieces, VIEWPORT, declarations, without_comments};
use super::selector::{Anchor, Selector, set_of};
use super::tree::Tree;

/// Rules of a page at most: more than twice as many as large style libraries have.
const MOST_RULES: usize = 20_000;
/// Comparisons of selectors with elements of a page at most: less than half a second. Pages with large style libraries take a tenth.
const MOST_STEPS: u64 = 5_000_000;
/// Nested conditions at most.
const DEEPEST: usize = 8;

/// A rule for one selector.
#[derive(Debug)]
struct Rule {
    selector: Selector,
    /// Its declarations in [`Sheet::declared`].
    from: usize,
    to: usize,
}

/// The style sheets of a page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    declared: Vec<Declared>,
    /// Rules by the most selective part of their last compound.
    by_anchor: HashMap<Anchor, Vec<usize>>,
    steps: u64,
    /// Whether a bound was reached.
    pub(super) is_cut: bool,
}

impl Sheet {
    /// Adds the content of a `style` element. Rules that have nothing to do with visibility are left out.
    pub(super) fn add(&mut self, text: &str) {
        let text = without_comments(text);
        self.add_rules(&text, 0);
    }

    fn add_rules(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        while let Some((prelude, block, after)) = next_block(rest) {
            rest = after;
            let prelude = prelude.trim();
            if let Some(condition) = prelude.strip_prefix('@') {
                if depth >= DEEPEST {
                    self.is_cut = true;
                } else if applies(condition) {
                    self.add_rules(block, depth + 1);
                }
                continue;
            }
            self.add_rule(prelude, block);
        }
    }

    fn add_rule(&mut self, prelude: &str, block: &str) {
        let from = self.declared.len();
        let list = &mut self.declared;
        declarations(block, &mut |declared| list.push(declared));
        let to = self.declared.len();
        if from == to {
            return;
        }
        for selector in Pieces::new(prelude, b',').filter_map(|text| Selector::parse(text.trim())) {
            if self.rules.len() >= MOST_RULES {
                self.is_cut = true;
                return;
            }
            self.by_anchor.entry(selector.anchor()).or_default().push(self.rules.len());
            self.rules.push(Rule { selector, from, to });
        }
    }

    /// Declarations for an element, those that prevail last; important ones come after `inline`, as the cascade demands. `above` is the set
    /// of the anchors of its ancestors, to which its own are added.
    pub(super) fn declarations_of(
        &mut self,
        tree: &Tree,
        node: u32,
        above: &mut u128,
        inline: &[Declared],
        apply: &mut impl FnMut(&Declared),
    ) {
        if self.rules.is_empty() {
            for is_important in [false, true] {
                inline.iter().filter(|declared| declared.is_important == is_important).for_each(&mut *apply);
            }
            return;
        }
        let mut matching = self.matching(tree, node, above);
        matching.sort_unstable();
        let of = |rule: usize| {
            let rule = self.rules.get(rule);
            rule.and_then(|rule| self.declared.get(rule.from..rule.to)).unwrap_or_default()
        };
        for is_important in [false, true] {
            let ranked = matching.iter().flat_map(|(_, rule)| of(*rule)).chain(inline);
            ranked.filter(|declared| declared.is_important == is_important).for_each(&mut *apply);
        }
    }

    /// Rules that match an element, with their specificity. Adds the element's anchors to those of its ancestors.
    fn matching(&mut self, tree: &Tree, node: u32, above: &mut u128) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        let anchors = Anchor::all_of(tree, node);
        let ancestors = *above;
        *above |= set_of(&anchors);
        for anchor in anchors {
            for index in self.by_anchor.get(&anchor).into_iter().flatten() {
                let Some(rule) = self.rules.get(*index) else { continue };
                if self.steps >= MOST_STEPS {
                    self.is_cut = true;
                    return found;
                }
                if rule.selector.matches(tree, node, ancestors, &mut self.steps) {
                    found.push((rule.selector.specificity(), *index));
                }
            }
        }
        found
    }
}

/// Text before a block, the block, and the rest. Statements without a block (`@import`) are skipped.
fn next_block(text: &str) -> Option<(&str, &str, &str)> {
    let head = Pieces::new(text, b'{').next()?;
    let inner = text.get(head.len() + 1..)?;
    let block = Pieces::new(inner, b'}').next()?;
    let prelude = Pieces::new(head, b';').last()?;
    Some((prelude, block, inner.get(block.len() + 1..).unwrap_or_default()))
}

/// Whether the rules within an at-rule apply to a screen.
fn applies(condition: &str) -> bool {
    let (name, rest) = condition
        .split_once(|sign: char| sign.is_ascii_whitespace() || sign == '(')
        .unwrap_or((condition, ""));
    match name.to_ascii_lowercase().as_str() {
        "supports" | "layer" | "container" | "scope" => true,
        "media" => rest.split(',').any(|query| is_screen(&query.to_ascii_lowercase())),
        _ => false,
    }
}

/// A media query. Conditions on other features than the width are taken as not met, since most describe devices.
fn is_screen(query: &str) -> bool {
    query.split(" and ").map(|part| part.trim().trim_matches(['(', ')'])).all(|part| {
        let part = part.strip_prefix("only ").unwrap_or(part).trim();
        match part.split_once(':') {
            None => matches!(part, "" | "screen" | "all"),
            Some((feature, value)) => {
                let value = value.trim();
                let scale = if value.ends_with("em") { 16.0 } else { 1.0 };
                let number = value.trim_end_matches(|sign: char| sign.is_ascii_alphabetic()).parse::<f32>();
                let pixels = number.map_or(f32::NAN, |number| number * scale);
                match feature.trim() {
                    "min-width" => pixels <= VIEWPORT.0,
                    "max-width" => pixels >= VIEWPORT.0,
                    _ => false,
                }
            }
        }
    })
}
