//! Commands in fenced blocks and between backquotes of Markdown, which the reader of a skill is expected to run.

use crate::manifest::Script;
use crate::report::Time;
use crate::source::SourceFile;

/// Blocks of all files; more than any skill has.
const MOST_BLOCKS: usize = 200;
/// Bytes of a command within a line.
const LONGEST_INLINE: usize = 1_000;
/// Words of lines that forbid a command, and of lines up to a number above that show it as an attack.
const FORBIDS: [&str; 5] = ["never", "do not", "don't", "avoid", "instead of"];
const ATTACKS: [&str; 6] = ["attack", "malicious", "suspicious", "dangerous", "red flag", "injection"];
const ABOVE: usize = 8;
/// Programs by which a text between backquotes is a command that has effects outside of the folder.
const PROGRAMS: [&str; 19] = [
    "curl", "wget", "git", "gh", "pip", "pip3", "uv", "pipx", "npm", "npx", "pnpm", "yarn", "bash", "sh",
    "tar", "pg_dump", "cat", "env", "ssh",
];

/// The fenced blocks of shells, and those without a language that look like commands.
pub(crate) fn commands(files: &[SourceFile<'_>]) -> Vec<Script> {
    let mut scripts = Vec::new();
    for (number, file) in files.iter().enumerate() {
        if file.path.to_lowercase().ends_with(".md") {
            blocks(&String::from_utf8_lossy(file.content), u32::try_from(number).unwrap_or(0), &mut scripts);
        }
    }
    scripts
}

fn blocks(text: &str, file: u32, scripts: &mut Vec<Script>) {
    let mut open: Option<(String, u32, String)> = None;
    let mut attacks_until = 0;
    for (index, line) in text.lines().enumerate() {
        if open.is_none() && ATTACKS.iter().any(|word| line.to_lowercase().contains(word)) {
            attacks_until = index + ABOVE;
        }
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        match &mut open {
            Some((_, _, body)) if !fence => {
                body.push_str(line.strip_prefix("$ ").unwrap_or(line));
                body.push('\n');
            }
            Some(_) => {
                if let Some((language, line, body)) = open.take() {
                    let command = command(&language, body);
                    if let Some(command) = command.filter(|_| scripts.len() < MOST_BLOCKS) {
                        scripts.push(Script { time: Time::Call, file, line, command });
                    }
                }
            }
            None if fence => {
                let language = trimmed.trim_start_matches(['`', '~']).trim().to_lowercase();
                let line = u32::try_from(index + 2).unwrap_or(u32::MAX);
                open = Some((language, line, String::new()));
            }
            None if index < attacks_until => {}
            None => inline(line, (file, u32::try_from(index + 1).unwrap_or(u32::MAX)), scripts),
        }
    }
}

/// The commands between backquotes of a line. In a line that forbids something or is about attacks they are no steps.
fn inline(line: &str, (file, number): (u32, u32), scripts: &mut Vec<Script>) {
    if !line.contains('`') {
        return;
    }
    let lower = line.to_lowercase();
    if FORBIDS.iter().chain(&ATTACKS).any(|word| lower.contains(word)) {
        return;
    }
    for command in line.split('`').skip(1).step_by(2).filter(|command| command.len() <= LONGEST_INLINE) {
        let mut words = command.split_whitespace();
        let is_command = words.next().is_some_and(|word| PROGRAMS.contains(&word)) && words.next().is_some();
        if is_command && scripts.len() < MOST_BLOCKS {
            scripts.push(Script { time: Time::Call, file, line: number, command: command.to_owned() });
        }
    }
}

/// The block as a shell script.
fn command(language: &str, body: String) -> Option<String> {
    let language = language.split([' ', '{', ',']).next().unwrap_or_default();
    match language {
        "bash" | "sh" | "shell" | "zsh" | "console" | "terminal" | "" => Some(body),
        "python" | "py" | "python3" => {
            Some(format!("python3 - <<'PALISADE_BLOCK'\n{body}\nPALISADE_BLOCK\n"))
        }
        "javascript" | "js" | "node" => Some(format!("node - <<'PALISADE_BLOCK'\n{body}\nPALISADE_BLOCK\n")),
        "powershell" | "ps1" | "pwsh" => {
            Some(format!("powershell -Command '{}'\n", body.replace('\'', "\"")))
        }
        _ => None,
    }
}
