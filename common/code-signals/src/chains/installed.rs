//! Rules of packages that an installer is told to take from elsewhere.

use super::verdict;
use crate::eval::{Called, Machine};
use crate::manifest::foreign;
use crate::report::{Severity, Threat};
use crate::value::Value;

/// Options of installers that name a server or a page of packages.
const SOURCES: [&str; 7] =
    ["--index-url", "-i", "--extra-index-url", "--find-links", "-f", "--registry", "--default-index"];

impl Machine<'_> {
    /// `setup(install_requires=["name @ https://..."], dependency_links=[...])`.
    pub(crate) fn described_dependencies(&mut self, called: &Called) {
        for given in &called.arguments {
            let keyword = given.keyword.map_or("", |name| self.names.text(name));
            let is_link = keyword == "dependency_links";
            if !is_link && !matches!(keyword, "install_requires" | "setup_requires" | "tests_require") {
                continue;
            }
            let items = self.constant_items(&given.value).unwrap_or_default();
            for item in items.into_iter().take(100) {
                let text = self.text_of(&Value::constant(item));
                let address = match text.split_once('@') {
                    Some((_, address)) if !is_link => address.trim().to_owned(),
                    _ => text.clone(),
                };
                let Some((severity, host)) = foreign(&address) else { continue };
                let name = text.split(['@', '#']).next().unwrap_or_default().trim();
                let text = format!("The dependency {name} is installed from {host}, not from a registry");
                self.add_chain(verdict("dependency-by-address", severity, Threat::InstallAttack), None, text);
            }
        }
    }

    /// An installation, or a skill, starts another one, of packages that do not come from a registry.
    pub(crate) fn chain_foreign_install(&mut self, words: &[Value]) {
        let words: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        if !(self.early() || self.is_skill())
            || !words.iter().any(|word| matches!(word.as_str(), "install" | "add" | "i"))
        {
            return;
        }
        let mut previous = "";
        for word in &words {
            let (option, value) = word.split_once('=').unwrap_or((previous, word));
            let is_source = SOURCES.contains(&option);
            previous = word;
            let Some((severity, host)) = foreign(value) else { continue };
            if !self.early() && super::skills::is_distributor(&host) {
                continue;
            }
            let severity = if is_source || !self.early() { Severity::High } else { severity };
            let text = format!("Packages are installed from {host}, not from a registry");
            let verdict = verdict("packages-from-elsewhere", severity, Threat::InstallAttack);
            self.add_chain(verdict, None, text);
            return;
        }
    }
}
