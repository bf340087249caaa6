//! Settings and commands in the documents for operators: the binary reads the settings, and knows the
//! commands.

use crate::machine::printed;
use crate::product::{Environment, SECRET, palisade};
use crate::{DOCUMENTS, holds, report, root, text};

/// The blocks of a language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = text(document);
    let mut parts = text.split("```").skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    parts.retain(|block| block.lines().next() == Some(language));
    parts.into_iter().map(|block| block.lines().skip(1).collect::<Vec<_>>().join("\n")).collect()
}

/// Commands of the product, in blocks and within sentences.
fn commands(document: &str) -> Vec<String> {
    let in_blocks = blocks(document, "sh").into_iter().flat_map(|block| {
        block.lines().map(|line| line.split('#').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    });
    let outside: String = text(document).split("```").step_by(2).collect();
    let in_sentences = outside.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    in_blocks.chain(in_sentences).filter(|command| command.starts_with("palisade ")).collect()
}

#[test]
fn commands_in_documents_exist() {
    let mut complaints = Vec::new();
    let mut checked = 0;
    for document in DOCUMENTS {
        for command in commands(document) {
            let words = command.split_whitespace().skip(1).map(str::to_owned);
            let output =
                palisade(&Environment::new(), &words.chain(["--help".to_owned()]).collect::<Vec<_>>());
            checked += 1;
            if !output.status.success() {
                complaints.push(format!("{document}: {command}: {}", printed(&output)));
            }
        }
    }
    assert!(checked > 15, "only {checked} commands were found");
    report(&complaints);
}

#[test]
fn settings_in_documents_hold_together() {
    let directory = tempfile::tempdir().unwrap();
    let pepper = directory.path().join("pepper");
    std::fs::write(&pepper, SECRET).unwrap();
    let blocks = blocks("docs/operating.md", "toml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let file = directory.path().join("palisade.toml");
        // Both are 64 hexadecimal digits.
        let placed = ["/etc/palisade/pepper", "/etc/palisade/key-encryption-keys"]
            .iter()
            .fold(block.clone(), |block, path| block.replace(path, &pepper.display().to_string()));
        std::fs::write(&file, placed).unwrap();
        let words =
            ["config", "check", "--offline", "--config", &file.display().to_string()].map(str::to_owned);
        let output = palisade(&Environment::new(), &words);
        assert!(holds(&output), "{block}\n{}", printed(&output));
    }
}

#[test]
fn files_that_documents_name_are_there() {
    let mut complaints = Vec::new();
    for document in DOCUMENTS {
        let text = text(document);
        let spans = text.split('`').skip(1).step_by(2);
        for path in spans.filter(|span| span.starts_with("deploy/") && !span.contains(char::is_whitespace)) {
            if !root().join(path).exists() {
                complaints.push(format!("{document}: {path} is not there"));
            }
        }
    }
    report(&complaints);
}

/// Commands that start several roles, as typed on one machine; the source prints them after `init`.
const ROLES_TOGETHER: [&str; 3] = ["docs/operating.md", "deploy/local/README.md", "server/src/first_run.rs"];

/// The port in a flag.
fn port(command: &str, flag: &str) -> Option<u16> {
    let value = command.split_whitespace().skip_while(|word| *word != flag).nth(1)?;
    value.rsplit_once(':')?.1.parse().ok()
}

#[test]
fn roles_that_documents_start_on_one_machine_have_ports_of_their_own() {
    let mut complaints = Vec::new();
    for document in ROLES_TOGETHER {
        let text = text(document);
        let commands = text.lines().map(str::trim).filter(|line| line.starts_with("palisade serve --role "));
        let mut taken = std::collections::BTreeMap::new();
        let mut roles = 0;
        for command in commands {
            roles += 1;
            for flag in ["--listen", "--admin-listen"] {
                let Some(port) = port(command, flag) else {
                    complaints
                        .push(format!("{document}: {command}: no {flag}, so the default, which others take"));
                    continue;
                };
                if let Some(other) = taken.insert(port, command) {
                    complaints.push(format!("{document}: {command} and {other} share port {port}"));
                }
            }
        }
        assert_eq!(roles, 4, "{document} starts each role once");
    }
    report(&complaints);
}
