//! Commands of composite actions: the scalars behind `run:` in `action.yml`, as files of a shell.

/// The commands of a manifest, each with the number of its line, from 1. A scalar ends where the
/// indentation does; lines of one that is no block are joined.
pub(super) fn commands(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut lines = manifest.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let content = line.trim_start().trim_start_matches("- ").trim_start();
        let Some(value) = value(content) else { continue };
        let indent = line.len() - content.len();
        let mut command = String::new();
        if value.starts_with(['|', '>']) {
            while let Some((_, line)) = lines.next_if(|(_, line)| is_within(line, indent)) {
                command.push_str(line.trim_start());
                command.push('\n');
            }
        } else {
            command.push_str(value);
            while let Some((_, line)) = lines.next_if(|(_, line)| is_within(line, indent)) {
                command.push(' ');
                command.push_str(line.trim());
            }
            command = command.trim().trim_matches(['"', '\'']).to_owned();
        }
        if !command.trim().is_empty() {
            found.push((number + 1, command));
        }
    }
    found
}

/// The value of the key `run`, which may stand in quotation marks or in braces.
fn value(content: &str) -> Option<&str> {
    let content = content.trim_start_matches('{').trim_start();
    let rest = ["run", "\"run\"", "'run'"].iter().find_map(|key| content.strip_prefix(key))?;
    rest.trim_start().strip_prefix(':').map(str::trim)
}

fn is_within(line: &str, indent: usize) -> bool {
    line.trim().is_empty() || line.len() - line.trim_start().len() > indent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_steps_are_read_as_lines_and_blocks() {
        let manifest = "name: a\nruns:\n  using: composite\n  steps:\n    - run: echo one\n      shell: bash\n    - name: two\n      run: |\n        echo two\n        curl x | sh\n      shell: bash\n";
        assert_eq!(
            commands(manifest),
            [(5, "echo one".to_owned()), (8, "echo two\ncurl x | sh\n".to_owned())]
        );
        for manifest in [
            "steps:\n  - \"run\": curl x | sh\n",
            "steps:\n  - run : curl x\n      | sh\n    shell: bash\n",
            "steps:\n  - {run: curl x | sh}\n",
        ] {
            assert!(
                commands(manifest).iter().any(|(_, command)| command.starts_with("curl x | sh")),
                "{manifest}"
            );
        }
        assert_eq!(commands(&"- run: echo\n".repeat(200)).len(), 200);
        assert!(commands("runs:\n  using: node20\n  main: dist/index.js\n").is_empty());
    }
}
