//! Commands of shells, by name: their output, and their effects on the world.

use super::Machine;
use crate::endpoint;
use crate::fold;
use crate::ir::Const;
use crate::report::CapabilityKind;
use crate::value::{Kind, ObjectId, Value};

/// Commands that run the command of their arguments.
const WRAPPERS: [&str; 18] = [
    "sudo",
    "env",
    "nohup",
    "exec",
    "command",
    "builtin",
    "time",
    "timeout",
    "nice",
    "ionice",
    "setsid",
    "doas",
    "stdbuf",
    "busybox",
    "xargs",
    "unbuffer",
    "start",
    "caffeinate",
];

/// Commands that pass their input on, changed in a way that does not matter.
pub(super) const FILTERS: [&str; 18] = [
    "tr", "sed", "awk", "grep", "head", "tail", "sort", "cut", "uniq", "tee", "jq", "strings", "gzip",
    "openssl", "column", "fold", "paste", "bzip2",
];

impl Machine<'_> {
    /// The output of a command.
    pub(super) fn command(
        &mut self,
        name: &str,
        words: &[Value],
        stdin: Option<&Value>,
        scope: ObjectId,
    ) -> Value {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name).trim_end_matches(".exe").to_lowercase();
        if WRAPPERS.contains(&base.as_str()) && !(base == "env" && words.is_empty()) {
            return self.wrapped(&base, words, stdin, scope);
        }
        self.chain_unattended_agent(&base, words);
        if let Some(output) = self.interpreter(&base, words, stdin, scope) {
            return output;
        }
        if self.depth > 0 && name.contains('/') {
            self.chain_unseen_program(name);
        }
        match base.as_str() {
            "echo" | "printf" | "%run" | "%file" | "true" | "cat" | "tac" | "rev" | "base64" | "base32"
            | "xxd" | "gunzip" | "zcat" | "type" => self.text_command(&base, words, stdin),
            "curl" | "wget" | "http" | "https" | "aria2c" | "lwp-download" | "xh" => {
                self.download_command(&base, words, stdin)
            }
            "nc" | "ncat" | "netcat" | "socat" | "telnet" | "ssh" | "scp" | "rsync" | "sftp" | "ftp" => {
                self.connect_command(&base, words, stdin)
            }
            "dig" | "nslookup" | "host" | "ping" => {
                let joined = self.concat(words);
                let taint = self.taint_of(&joined);
                if taint != 0 {
                    let shown = self.text_of(&joined);
                    self.capability(CapabilityKind::Dns, &shown);
                    let domain = shown
                        .rsplit('\u{FFFC}')
                        .next()
                        .unwrap_or_default()
                        .trim_matches(['.', ' '])
                        .to_owned();
                    self.chain_dns(taint, &endpoint::of_host(&domain, ""));
                }
                Value::default()
            }
            "env" | "printenv" | "set" | "export"
                if words
                    .iter()
                    .all(|word| word.as_text().is_some_and(|text| text.first() == Some(&b'-'))) =>
            {
                Value::tainted(self.environment_read())
            }
            "whoami" | "hostname" | "id" | "uname" | "ifconfig" | "ip" | "ipconfig" | "systeminfo" | "w"
            | "who" | "arp" => Value::tainted(self.identity_read(base)),
            "pbpaste" | "xclip" | "xsel" | "scrot" | "screencapture" | "gnome-screenshot" => {
                self.capability(CapabilityKind::Capture, &base);
                Value::tainted(self.origin(Kind::Captured, base))
            }
            "npm" | "yarn" | "pnpm" | "bun" => {
                self.chain_foreign_install(words);
                self.package_script(words)
            }
            "pip" | "pip3" | "uv" | "pipx" | "easy_install" | "gem" => {
                self.chain_foreign_install(words);
                self.system_command(&base, name, words, stdin)
            }
            _ => self.system_command(&base, name, words, stdin),
        }
    }

    fn wrapped(&mut self, base: &str, words: &[Value], stdin: Option<&Value>, scope: ObjectId) -> Value {
        let is_option = |word: &Value| {
            word.as_text().is_some_and(|text| {
                text.first() == Some(&b'-')
                    || text.contains(&b'=')
                    || text.iter().all(u8::is_ascii_digit)
                    || text.as_ref() == b"{}"
                    // Options of the command line of Windows.
                    || base == "start" && text.first() == Some(&b'/')
            })
        };
        let Some(at) = words.iter().position(|word| !is_option(word)) else {
            return stdin.cloned().unwrap_or_default();
        };
        let inner = words.get(at).map(|word| self.text_of(word)).unwrap_or_default();
        let mut rest = words.get(at + 1..).unwrap_or_default().to_vec();
        if base == "xargs" {
            rest.extend(stdin.cloned());
            return self.command(&inner, &rest, None, scope);
        }
        self.command(&inner, &rest, stdin, scope)
    }

    /// Commands whose output is a text of their arguments or input.
    fn text_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let has = |form: &[&str]| {
            words.iter().any(|word| {
                word.as_text().is_some_and(|text| form.iter().any(|form| text.as_ref() == form.as_bytes()))
            })
        };
        match base {
            "echo" => {
                let words: Vec<Value> = words
                    .iter()
                    .filter(|word| {
                        !word
                            .as_text()
                            .is_some_and(|text| matches!(text.as_ref(), b"-n" | b"-e" | b"-ne" | b"-en"))
                    })
                    .cloned()
                    .collect();
                let mut parts = Vec::new();
                for word in words {
                    if !parts.is_empty() {
                        parts.push(Value::text(b" "));
                    }
                    parts.push(word);
                }
                let unescapes = has(&["-e", "-ne", "-en"]);
                self.printed(&parts, unescapes)
            }
            "printf" => {
                let form = words.first().cloned().unwrap_or_default();
                let filled =
                    form.as_text().map(|text| super::methods::fill(text, words.get(1..).unwrap_or_default()));
                let taint = self.taint_of_all(words);
                let text = Value { taint, ..filled.map(|text| Value::text(&text)).unwrap_or_default() };
                self.printed(&[text], true)
            }
            "%file" => {
                let content = words.first().cloned().unwrap_or_default();
                let path = Value {
                    identity: self.fresh_identity(content.identity ^ u64::from(content.taint)),
                    ..Value::default()
                };
                self.written.insert(path.identity, Value { object: 0, ..content });
                path
            }
            "%run" => self.run_words(words),
            "cat" | "tac" => {
                let mut output = stdin.cloned().unwrap_or_default();
                for word in words {
                    let content = self.read_file(word);
                    output.or(&content, &mut self.taints);
                }
                output
            }
            "rev" => {
                let input = stdin.cloned().unwrap_or_default();
                let constant = input.constant.as_ref().and_then(fold::reverse);
                Value { constant, ..input }
            }
            _ => self.decoded(base, words, stdin),
        }
    }

    fn printed(&mut self, parts: &[Value], unescapes: bool) -> Value {
        let mut text = self.concat(parts);
        if let (Some(Const::Text(bytes)), true) = (&text.constant, unescapes) {
            text.constant =
                Some(Const::Text(fold::escape::unescape(bytes, fold::escape::Escapes::Bytes).into()));
        }
        text
    }

    /// A command line that is computed.
    fn run_words(&mut self, words: &[Value]) -> Value {
        let Some((program, rest)) = words.split_first() else { return Value::default() };
        let taint = self.taint_of(program);
        let content = self.written_content(program);
        self.chain_shell(program, taint);
        self.chain_program(program, content.as_ref());
        let name = self.text_of(program);
        if name.is_empty() || name.contains('\u{FFFC}') {
            return Value::tainted(self.taint_of_all(words));
        }
        // A variable may hold a whole line.
        let mut parts = name.split_whitespace();
        let first = parts.next().unwrap_or_default().to_owned();
        let mut all: Vec<Value> = parts.map(|part| Value::text(part.as_bytes())).collect();
        all.extend_from_slice(rest);
        if first.starts_with('%') { Value::default() } else { self.command(&first, &all, None, 0) }
    }

    /// Decoders; without their option for decoding they encode.
    fn decoded(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let options: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        let codec = match base {
            "base64" if ["-d", "-D", "--decode", "-di"].iter().any(|option| options.contains(option)) => {
                crate::api::Codec::Base64
            }
            "base32" if options.contains("-d") => crate::api::Codec::Base32,
            "xxd" if options.contains("-r") => crate::api::Codec::Hex,
            "gunzip" | "zcat" => crate::api::Codec::Inflate,
            _ => {
                let mut input = stdin.cloned().unwrap_or_default();
                for word in words {
                    let content = self.read_file(word);
                    let taint = self.taint_of(&content);
                    input.taint = self.taints.union(input.taint, taint);
                }
                return Value { constant: None, ..input };
            }
        };
        let mut input = stdin.cloned();
        if input.is_none() {
            let file = words
                .iter()
                .find(|word| word.as_text().is_some_and(|text| text.first() != Some(&b'-')))
                .cloned();
            input = file.map(|file| self.read_file(&file));
        }
        let input = input.unwrap_or_default();
        let called = super::calls::Called {
            callee: Value::default(),
            receiver: None,
            method: None,
            arguments: Vec::new(),
            constructs: false,
        };
        self.decode(codec, &input, None, &called)
    }
}
