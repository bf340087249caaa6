//! Checks of skills beside those of all repositories: the front matter of `SKILL.md`, and declared against used tools.

use serde::{Deserialize, Serialize};

use super::reading::{Effect, Reading};
use crate::check::Check;
use crate::weights::skill as weights;

/// Lines of a front matter, and characters of its values.
const MOST_LINES: usize = 200;
const MOST_VALUE: usize = 2_000;
/// Paths outside of the folder that are listed.
const MOST_OUTSIDE: usize = 20;

/// The front matter of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrontMatter {
    /// Name.
    pub(crate) name: String,
    /// Description.
    pub(crate) description: String,
    /// Permitted tools; none where all are.
    pub(crate) allowed_tools: Option<String>,
}

impl FrontMatter {
    /// Reads the lines between the first two lines of `---`; none without them.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        lines.next().filter(|line| line.trim_end() == "---")?;
        let (mut matter, mut key) = (Self::default(), String::new());
        for line in lines.take(MOST_LINES) {
            if line.trim_end() == "---" {
                return Some(matter);
            }
            let begins = !line.starts_with([' ', '\t', '-', '#']);
            let value = match line.split_once(':').filter(|_| begins) {
                Some((name, value)) => {
                    key = name.trim().to_ascii_lowercase();
                    value
                }
                None => line,
            };
            let value = value.trim().trim_matches(['"', '\'', '>', '|']).trim_start_matches('-').trim();
            let target = match key.as_str() {
                "name" => &mut matter.name,
                "description" => &mut matter.description,
                "allowed-tools" | "allowed_tools" | "tools" => matter.allowed_tools.get_or_insert_default(),
                _ => continue,
            };
            if !value.is_empty() && target.len() < MOST_VALUE {
                target.push_str(if target.is_empty() { "" } else { " " });
                target.push_str(value);
            }
        }
        None
    }

    fn allows(&self, words: &[&str]) -> bool {
        self.allowed_tools.as_ref().is_none_or(|tools| {
            let tools = tools.to_ascii_lowercase();
            words.iter().any(|word| tools.contains(word))
        })
    }
}

/// Paths in the text of a skill that lead out of its folders: installers copy them or not, and they are not read.
pub(super) fn outside(path: &str, text: &str, folders: &[String]) -> Vec<String> {
    let depth = super::select::below(path, folders).matches('/').count();
    let ends = |char: char| char.is_whitespace() || matches!(char, ')' | '`' | '"' | '\'' | '>' | ',' | '|');
    let mut found: Vec<String> = Vec::new();
    for (place, _) in text.match_indices("../") {
        let before = text.get(..place).unwrap_or_default();
        if before.ends_with(['/', '.'])
            || before.ends_with(char::is_alphanumeric)
            || found.len() >= MOST_OUTSIDE
        {
            continue;
        }
        let rest = text.get(place..).unwrap_or_default();
        let reference = rest.split(ends).next().unwrap_or_default();
        let steps = reference.split('/').take_while(|part| *part == "..").count();
        if steps > depth && reference.len() > steps * 3 && !found.iter().any(|known| known == reference) {
            found.push(reference.chars().take(200).collect());
        }
    }
    found
}

/// The checks, each once.
pub(super) fn checks(reading: &Reading) -> Vec<Check> {
    let Some(matter) = &reading.front_matter else {
        return vec![weights::FRONT_MATTER.failed("SKILL.md has no front matter"), weights::TOOLS.neutral()];
    };
    let front = if matter.name.is_empty() || matter.description.is_empty() {
        weights::FRONT_MATTER.failed("the front matter lacks name or description")
    } else {
        weights::FRONT_MATTER.passed()
    };
    let uses = |kinds: &[Effect]| reading.uses.iter().find(|one| kinds.contains(&one.kind));
    let network = uses(&[Effect::Send, Effect::Fetch, Effect::DropEndpoint]);
    let beyond = [
        (uses(&[Effect::Execution]), &["bash", "shell", "exec", "run", "*"][..], "executes programs"),
        (network, &["bash", "shell", "exec", "run", "web", "fetch", "curl", "*"][..], "uses the network"),
        (
            uses(&[Effect::FileWrite, Effect::Persistence, Effect::AgentConfiguration]),
            &["bash", "shell", "write", "edit", "*"][..],
            "writes files",
        ),
    ];
    let found = beyond
        .into_iter()
        .find_map(|(found, words, says)| found.filter(|_| !matter.allows(words)).map(|one| (one, says)));
    let tools = match found {
        Some((one, says)) => weights::TOOLS
            .failed(format!("{says}, which allowed-tools does not permit, {} line {}", one.path, one.line)),
        None => weights::TOOLS.passed(),
    };
    vec![front, tools]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_are_found() {
        let folders = ["skills/pdf/".to_owned()];
        let of = |path: &str, text: &str| outside(path, text, &folders);
        assert_eq!(of("skills/pdf/SKILL.md", "See [steps](../shared/steps.md)."), ["../shared/steps.md"]);
        assert_eq!(of("skills/pdf/ref/a.md", "Run `../scripts/a.py`."), Vec::<String>::new());
        assert_eq!(of("skills/pdf/SKILL.md", "cd .. and x/../y and ../"), Vec::<String>::new());
    }

    #[test]
    fn front_matter_is_read_with_lists_and_long_values() {
        let text = "---\nname: pdf\ndescription: >\n  Reads PDF\n  files.\nallowed-tools:\n  - Read\n  - Grep\n---\n# PDF\n";
        let matter = FrontMatter::of(text).unwrap();
        assert_eq!((matter.name.as_str(), matter.description.as_str()), ("pdf", "Reads PDF files."));
        assert_eq!(matter.allowed_tools.as_deref(), Some("Read Grep"));
        assert!(matter.allows(&["read"]) && !matter.allows(&["bash"]));
        assert_eq!(FrontMatter::of("# PDF"), None);
        assert_eq!(FrontMatter::of("---\nname: open\n"), None);
    }
}
