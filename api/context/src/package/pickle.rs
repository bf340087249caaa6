//! Data files that Python loads as pickles: a small language whose programs import names and call them.

use super::contents::Chain;
use crate::artifact::{Severity, ThreatType};

/// Bytes of a file that are read; opcodes of it that are followed.
const MOST_BYTES: usize = 8 << 20;
const MOST_OPCODES: usize = 200_000;
/// Texts that later opcodes may name.
const MOST_TEXTS: usize = 4_096;
/// Bytes of a text that may be the name of a module or function.
const MOST_NAME: usize = 128;

/// Modules of which any call changes or leaves the process that loads the data.
const MODULES: [&str; 10] = [
    "subprocess",
    "socket",
    "pty",
    "runpy",
    "ctypes",
    "webbrowser",
    "commands",
    "code",
    "asyncio.subprocess",
    "requests",
];
/// Functions of other modules that execute code or commands, or change files.
const FUNCTIONS: [(&[&str], &[&str]); 5] = [
    (
        &["os", "posix", "nt"],
        &[
            "system",
            "popen",
            "execl",
            "execle",
            "execlp",
            "execv",
            "execve",
            "execvp",
            "execvpe",
            "spawnl",
            "spawnv",
            "spawnve",
            "spawnvp",
            "posix_spawn",
            "posix_spawnp",
            "startfile",
            "remove",
            "unlink",
            "putenv",
        ],
    ),
    (&["builtins", "__builtin__"], &["exec", "eval", "compile", "__import__", "execfile"]),
    (&["importlib", "importlib._bootstrap"], &["import_module", "__import__"]),
    (&["shutil"], &["rmtree", "move"]),
    (&["urllib.request", "urllib", "urllib2"], &["urlopen", "urlretrieve"]),
];

/// The name that a pickle calls while it is loaded, if the call executes code or reaches the system. Bytes that are no whole
/// pickle have none.
pub(super) fn called(content: &[u8]) -> Option<String> {
    let content = content.get(..content.len().min(MOST_BYTES)).unwrap_or_default();
    let is_start = match content {
        [0x80, 2..=5, ..] => true,
        // Protocols 0 and 1 have no mark; they begin with a name, a collection or a text.
        [b'c' | b'(' | b']' | b'}' | b'i', ..] => true,
        _ => false,
    };
    if !is_start {
        return None;
    }
    let mut reader = Reader { rest: content, texts: Vec::new(), found: None, called: None };
    for _ in 0..MOST_OPCODES {
        if reader.step()? {
            break;
        }
    }
    // A call that was found before a bound was reached counts as well.
    reader.called
}

/// The chain of a data file with a call.
pub(super) fn chain(path: &str, name: &str) -> Chain {
    Chain {
        rule: "pickle-executes".to_owned(),
        severity: Severity::High,
        threat: ThreatType::InstallAttack,
        is_early: true,
        detail: format!(
            "pickle-executes: The data file calls {name} when Python loads it as a pickle ({path})"
        ),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    /// Short texts in their order: names of modules and functions.
    texts: Vec<String>,
    /// The last dangerous name that is on the stack.
    found: Option<String>,
    called: Option<String>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest)?;
        let line = self.take(end)?;
        self.take(1)?;
        Some(line)
    }

    /// A number of little-endian bytes as a length.
    fn number(&mut self, bytes: usize) -> Option<usize> {
        let taken = self.take(bytes)?;
        taken
            .iter()
            .rev()
            .try_fold(0_usize, |number, byte| number.checked_mul(256)?.checked_add(usize::from(*byte)))
    }

    fn text(&mut self, bytes: &[u8]) {
        if bytes.len() <= MOST_NAME && self.texts.len() < MOST_TEXTS {
            self.texts.push(String::from_utf8_lossy(bytes).into_owned());
        }
    }

    fn name(&mut self, module: &str, function: &str) {
        if is_dangerous(module, function) {
            self.found = Some(format!("{module}.{function}"));
        }
    }

    fn call(&mut self) {
        if self.called.is_none() {
            self.called = self.found.take();
        }
    }

    /// Follows one opcode. True at the end; none where the bytes are no pickle.
    fn step(&mut self) -> Option<bool> {
        let opcode = self.take(1)?.first().copied()?;
        match opcode {
            b'.' => return Some(true),
            b'c' | b'i' => {
                let module = String::from_utf8(self.line()?.to_vec()).ok()?;
                let function = String::from_utf8(self.line()?.to_vec()).ok()?;
                self.name(module.trim(), function.trim());
                if opcode == b'i' {
                    self.call();
                }
            }
            // The names lie on the stack. They may come from the memo, so that any earlier text may be the module.
            0x93 => self.stacked_name(),
            b'R' | b'o' | 0x81 | 0x92 => self.call(),
            b'F' | b'I' | b'L' | b'P' | b'g' | b'p' => {
                self.line()?;
            }
            b'S' | b'V' => {
                let line = self.line()?;
                let line = line.strip_prefix(b"'").or_else(|| line.strip_prefix(b"\"")).unwrap_or(line);
                let line = line.strip_suffix(b"'").or_else(|| line.strip_suffix(b"\"")).unwrap_or(line);
                self.text(line);
            }
            b'K' | b'h' | b'q' | 0x80 | 0x82 => {
                self.take(1)?;
            }
            b'M' | 0x83 => {
                self.take(2)?;
            }
            b'J' | b'j' | b'r' | 0x84 => {
                self.take(4)?;
            }
            b'G' | 0x95 => {
                self.take(8)?;
            }
            b'U' | b'C' | 0x8a | 0x8c => self.counted(1)?,
            b'T' | b'X' | b'B' | 0x8b => self.counted(4)?,
            0x8d | 0x8e | 0x96 => self.counted(8)?,
            b'('
            | b')'
            | b']'
            | b'}'
            | b'l'
            | b't'
            | b'd'
            | b'a'
            | b'e'
            | b's'
            | b'u'
            | b'0'
            | b'1'
            | b'2'
            | b'N'
            | b'Q'
            | b'b'
            | 0x85..=0x89
            | 0x8f..=0x91
            | 0x94
            | 0x97
            | 0x98 => {}
            _ => return None,
        }
        Some(false)
    }

    /// Data behind its length.
    fn counted(&mut self, bytes: usize) -> Option<()> {
        let length = self.number(bytes)?;
        let data = self.take(length)?;
        self.text(data);
        Some(())
    }

    fn stacked_name(&mut self) {
        let Some(function) = self.texts.last().cloned() else { return };
        let module = self.texts.iter().rev().skip(1).find(|module| is_dangerous(module, &function)).cloned();
        if let Some(module) = module {
            self.name(&module, &function);
        }
    }
}

fn is_dangerous(module: &str, function: &str) -> bool {
    MODULES.contains(&module)
        || FUNCTIONS
            .iter()
            .any(|(modules, functions)| modules.contains(&module) && functions.contains(&function))
}

#[cfg(test)]
mod tests;
