//! Commands of composite actions: the scalars behind `run:` in `action.yml`, as files of a shell.

/// Commands of one manifest at most.
const MOST_STEPS: usize = 100;

/// The commands of a manifest, each with the number of its line, from 1. A block scalar ends where the indentation does.
pub(super) fn commands(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut lines = manifest.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let content = line.trim_start().trim_start_matches("- ").trim_start();
        let Some(value) = content.strip_prefix("run:").map(str::trim) else { continue };
        let indent = line.len() - content.len();
        let mut command = String::new();
        if value.starts_with(['|', '>']) {
            while let Some((_, line)) = lines.next_if(|(_, line)| is_within(line, indent)) {
                command.push_str(line.trim_start());
                command.push('\n');
            }
        } else {
            command.push_str(value.trim_matches(['"', '\'']));
        }
        if !command.trim().is_empty() && found.len() < MOST_STEPS {
            found.push((number + 1, command));
        }
    }
    found
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
        assert!(commands("runs:\n  using: node20\n  main: dist/index.js\n").is_empty());
    }
}
