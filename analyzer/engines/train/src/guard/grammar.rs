//! Texts from grammars of our own, one file for each language.
//!
//! A line `name = one | two` defines alternatives, in which `{name}` stands for one of those of another name. The other
//! lines are productions: `+` a direct attack, `*` an instruction inside a document, `-` honest use of the same words,
//! `~` honest role-play; each with a category before a colon. A line without mark continues the production before it.

use std::collections::BTreeMap;

use crate::seeded::Seeded;

/// The grammars, by language.
pub const FILES: &[(&str, &str)] = &[
    ("en", include_str!("../../grammar/en.txt")),
    ("de", include_str!("../../grammar/de.txt")),
    ("fr", include_str!("../../grammar/fr.txt")),
    ("es", include_str!("../../grammar/es.txt")),
    ("it", include_str!("../../grammar/it.txt")),
    ("pt", include_str!("../../grammar/pt.txt")),
    ("nl", include_str!("../../grammar/nl.txt")),
    ("pl", include_str!("../../grammar/pl.txt")),
    ("ru", include_str!("../../grammar/ru.txt")),
    ("tr", include_str!("../../grammar/tr.txt")),
    ("zh", include_str!("../../grammar/zh.txt")),
    ("ja", include_str!("../../grammar/ja.txt")),
    ("ko", include_str!("../../grammar/ko.txt")),
    ("ar", include_str!("../../grammar/ar.txt")),
    ("hi", include_str!("../../grammar/hi.txt")),
];

/// What a production is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "described above")]
pub enum Role {
    Direct,
    Indirect,
    Honest,
    Roleplay,
}

/// A grammar.
#[derive(Debug, Default)]
pub struct Grammar<'a> {
    names: BTreeMap<&'a str, Vec<&'a str>>,
    productions: BTreeMap<Role, Vec<(&'a str, String)>>,
}

/// Names inside names inside names.
const MAX_DEPTH: usize = 8;

impl<'a> Grammar<'a> {
    /// Reads a grammar. Lines that are no part of one are left out; a test shows that there are none.
    #[must_use]
    pub fn read(file: &'a str) -> Self {
        let mut grammar = Self::default();
        let mut open: Option<Role> = None;
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            if let Some((role, category, text)) = production(line) {
                grammar.productions.entry(role).or_default().push((category, text.to_owned()));
                open = Some(role);
            } else if let Some((name, alternatives)) = definition(line) {
                grammar.names.insert(name, alternatives.split(" | ").map(str::trim).collect());
                open = None;
            } else if let Some((_, text)) =
                open.and_then(|role| grammar.productions.get_mut(&role)).and_then(|list| list.last_mut())
            {
                text.push('\n');
                text.push_str(line);
            }
        }
        grammar
    }

    /// A random text of a role, with the category of its production.
    pub fn generate(&self, role: Role, random: &mut Seeded) -> Option<(String, String)> {
        let (category, production) = random.pick(self.productions.get(&role)?)?;
        let text = self.expand(production, MAX_DEPTH, random);
        let text = text.replace("\\|", "|");
        let text = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let text = match random.below(6) {
            0 => capitalized(&text),
            1 => text.to_lowercase(),
            _ => text,
        };
        Some(((*category).to_owned(), text.trim().to_owned()))
    }

    fn expand(&self, text: &str, depth: usize, random: &mut Seeded) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, after) = rest.split_at(open);
            expanded.push_str(before);
            let name = after.strip_prefix('{').and_then(|after| after.split('}').next()).unwrap_or_default();
            match self.names.get(name).filter(|_| depth > 0).and_then(|list| random.pick(list)) {
                Some(chosen) => {
                    expanded.push_str(&self.expand(chosen, depth - 1, random));
                    rest = after.get(name.len() + 2..).unwrap_or_default();
                }
                None => {
                    expanded.push('{');
                    rest = after.get(1..).unwrap_or_default();
                }
            }
        }
        expanded.push_str(rest);
        expanded
    }
}

fn production(line: &str) -> Option<(Role, &str, &str)> {
    let role = match line.get(..2)? {
        "+ " => Role::Direct,
        "* " => Role::Indirect,
        "- " => Role::Honest,
        "~ " => Role::Roleplay,
        _ => return None,
    };
    let (category, text) = line.get(2..)?.split_once(": ")?;
    Some((role, category, text))
}

fn definition(line: &str) -> Option<(&str, &str)> {
    let (name, alternatives) = line.split_once(" =")?;
    let is_name = name.chars().all(|char| char.is_ascii_alphanumeric());
    is_name.then_some((name, alternatives))
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
