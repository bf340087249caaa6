//! Commands of shells, by name: their output, and their effects on the world.

use super::Machine;
use crate::endpoint;
use crate::fold;
use crate::ir::Const;
use crate::paths::{self, PathClass};
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, ObjectId, Value};

/// Commands that run the command of their arguments.
const WRAPPERS: [&str; 18] = [
    "sudo", "env", "nohup", "exec", "command", "builtin", "time", "timeout", "nice", "ionice", "setsid", "doas", "stdbuf", "busybox", "xargs", "unbuffer",
    "start", "caffeinate",
];

/// Commands that pass their input on, changed in a way that does not matter.
const FILTERS: [&str; 18] = [
    "tr", "sed", "awk", "grep", "head", "tail", "sort", "cut", "uniq", "tee", "jq", "strings", "gzip", "openssl", "column", "fold", "paste", "bzip2",
];

impl Machine<'_> {
    /// The output of a command.
    pub(super) fn command(&mut self, name: &str, words: &[Value], stdin: Option<&Value>, scope: ObjectId) -> Value {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name).trim_end_matches(".exe").to_lowercase();
        if WRAPPERS.contains(&base.as_str()) && !(base == "env" && words.is_empty()) {
            return self.wrapped(&base, words, stdin, scope);
        }
        if let Some(output) = self.interpreter(&base, words, stdin, scope) {
            return output;
        }
        match base.as_str() {
            "echo" | "printf" | "%run" | "%file" | "true" | "cat" | "tac" | "rev" | "base64" | "base32" | "xxd" | "gunzip" | "zcat" | "type" => {
                self.text_command(&base, words, stdin)
            }
            "curl" | "wget" | "http" | "https" | "aria2c" | "lwp-download" | "xh" => self.download_command(&base, words, stdin),
            "nc" | "ncat" | "netcat" | "socat" | "telnet" | "ssh" | "scp" | "rsync" | "sftp" | "ftp" => self.connect_command(&base, words, stdin),
            "dig" | "nslookup" | "host" | "ping" => {
                let joined = self.concat(words);
                let taint = self.taint_of(&joined);
                if taint != 0 {
                    let shown = self.text_of(&joined);
                    self.capability(CapabilityKind::Dns, &shown);
                    let domain = shown.rsplit('\u{FFFC}').next().unwrap_or_default().trim_matches(['.', ' ']).to_owned();
                    self.chain_dns(taint, &endpoint::of_host(&domain, ""));
                }
                Value::default()
            }
            "env" | "printenv" | "set" | "export" if words.iter().all(|word| word.as_text().is_some_and(|text| text.first() == Some(&b'-'))) => {
                Value::tainted(self.environment_read())
            }
            "whoami" | "hostname" | "id" | "uname" | "ifconfig" | "ip" | "ipconfig" | "systeminfo" | "w" | "who" | "arp" => {
                Value::tainted(self.identity_read(base))
            }
            "pbpaste" | "xclip" | "xsel" | "scrot" | "screencapture" | "gnome-screenshot" => {
                self.capability(CapabilityKind::Capture, &base);
                Value::tainted(self.origin(Kind::Captured, base))
            }
            "npm" | "yarn" | "pnpm" | "bun" => self.package_script(words),
            _ => self.system_command(&base, name, words, stdin),
        }
    }

    fn wrapped(&mut self, base: &str, words: &[Value], stdin: Option<&Value>, scope: ObjectId) -> Value {
        let is_option = |word: &Value| {
            word.as_text().is_some_and(|text| text.first() == Some(&b'-') || text.contains(&b'=') || text.iter().all(u8::is_ascii_digit) || text.as_ref() == b"{}")
        };
        let Some(at) = words.iter().position(|word| !is_option(word)) else { return stdin.cloned().unwrap_or_default() };
        let inner = self.text_of(words.get(at).unwrap_or(&Value::default()));
        let mut rest = words.get(at + 1..).unwrap_or_default().to_vec();
        if base == "xargs" {
            rest.extend(stdin.cloned());
            return self.command(&inner, &rest, None, scope);
        }
        self.command(&inner, &rest, stdin, scope)
    }

    /// Commands whose output is a text of their arguments or input.
    fn text_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let has = |form: &[&str]| words.iter().any(|word| word.as_text().is_some_and(|text| form.iter().any(|form| text.as_ref() == form.as_bytes())));
        match base {
            "echo" => {
                let words: Vec<Value> = words.iter().filter(|word| !word.as_text().is_some_and(|text| matches!(text.as_ref(), b"-n" | b"-e" | b"-ne" | b"-en"))).cloned().collect();
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
                let filled = form.as_text().map(|text| super::methods::fill(text, words.get(1..).unwrap_or_default()));
                let taint = self.taint_of_all(words);
                let text = Value { taint, ..filled.map(|text| Value::text(&text)).unwrap_or_default() };
                self.printed(&[text], true)
            }
            "%file" => {
                let content = words.first().cloned().unwrap_or_default();
                let path = Value { identity: self.fresh_identity(content.identity ^ u64::from(content.taint)), ..Value::default() };
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
            text.constant = Some(Const::Text(fold::escape::unescape(bytes, fold::escape::Escapes::Bytes).into()));
        }
        text
    }

    /// A command line that is computed.
    fn run_words(&mut self, words: &[Value]) -> Value {
        let Some((program, rest)) = words.split_first() else { return Value::default() };
        let taint = self.taint_of(program);
        let content = self.written_content(program);
        self.chain_program(program, taint, content.as_ref());
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
            "base64" if ["-d", "-D", "--decode", "-di"].iter().any(|option| options.contains(option)) => crate::api::Codec::Base64,
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
            let file = words.iter().find(|word| word.as_text().is_some_and(|text| text.first() != Some(&b'-'))).cloned();
            input = file.map(|file| self.read_file(&file));
        }
        let input = input.unwrap_or_default();
        let called = super::calls::Called { callee: Value::default(), receiver: None, method: None, arguments: Vec::new(), constructs: false };
        self.decode(codec, &input, None, &called)
    }

    /// Downloads: the reply goes to standard output or a file; data in the arguments is sent.
    fn download_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let mut sent = 0;
        let mut file: Option<Value> = None;
        let mut url: Option<&Value> = None;
        let mut remote_name = base == "wget";
        for (index, word) in words.iter().enumerate() {
            let text = self.text_of(word);
            let previous = index.checked_sub(1).and_then(|index| words.get(index)).map(|word| self.text_of(word)).unwrap_or_default();
            let taint = self.taint_of(word);
            sent = self.taints.union(sent, taint);
            match previous.as_str() {
                "-o" | "--output" if base != "wget" => file = Some(word.clone()),
                "-O" | "--output-document" if base == "wget" => {
                    remote_name = false;
                    file = (text != "-").then(|| word.clone());
                }
                _ => {}
            }
            if matches!(text.as_str(), "-O" | "--remote-name" | "-LO" | "-OL" | "-sO" | "-sSLO" | "-fsSLO" | "-LJO") && base == "curl" {
                remote_name = true;
            }
            if let Some(path) = wget_output(&text) {
                remote_name = false;
                file = (path != "-").then(|| Value::text(path.as_bytes()));
            }
            if text.contains("://") || url.is_none() && !text.starts_with('-') && text.contains('.') && !previous.starts_with('-') {
                url = url.filter(|url| url.as_text().is_some_and(|text| text.windows(3).any(|part| part == b"://"))).or(Some(word));
            }
            let uploads = previous.starts_with("-F") || previous.starts_with("--form") || previous.starts_with("-d") || previous.starts_with("--data") || text.starts_with("-F") || text.starts_with("-d") || text.starts_with("--data");
            let path = if uploads { text.split_once('@').map(|(_, path)| path.split(';').next().unwrap_or_default()) } else { None };
            let path = path.or(if matches!(previous.as_str(), "-T" | "--upload-file" | "--post-file" | "-K") { Some(text.as_str()) } else { text.strip_prefix("--post-file=") });
            if let Some(path) = path {
                let content = if path == "-" { stdin.cloned().unwrap_or_default() } else { self.read_file(&Value::text(path.as_bytes())) };
                let taint = self.taint_of(&content);
                sent = self.taints.union(sent, taint);
            }
        }
        let address = url.map(|url| self.text_of(url)).unwrap_or_default();
        let found = endpoint::find(&address).or_else(|| address.contains('.').then(|| endpoint::of_host(address.split('/').next().unwrap_or_default(), "")));
        let (reply, _) = self.request(found.map(std::rc::Rc::new), sent, 0);
        let reply = Value { object: 0, ..reply };
        if remote_name && file.is_none() {
            let name = address.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            file = Some(Value::text(name.as_bytes()));
        }
        if let Some(file) = file {
            self.write_file(&file, &reply);
        }
        reply
    }

    fn connect_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let options: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        let host = options.split_whitespace().find(|word| word.contains('.') && !word.starts_with(['-', '~', '/', '.']) || word.contains(':') && !word.starts_with('-'));
        let host = host.unwrap_or_default();
        let name = host.rsplit('@').next().unwrap_or_default();
        let name = name.trim_start_matches("tcp:").trim_start_matches("TCP:").split(':').next().unwrap_or_default();
        let found = (!name.is_empty()).then(|| std::rc::Rc::new(endpoint::of_host(name, "")));
        let is_local = found.as_ref().is_some_and(|endpoint| endpoint.reputation == endpoint::Reputation::Local);
        let mut sent = stdin.map_or(0, |input| self.taint_of(input));
        for word in words {
            let content = match word.texts().find_map(|text| paths::classify(text)) {
                Some(PathClass::Credential(..)) if matches!(base, "scp" | "rsync") && !options.contains(" -i ") && !options.starts_with("-i ") => self.read_file(word),
                _ => word.clone(),
            };
            let taint = self.taint_of(&content);
            sent = self.taints.union(sent, taint);
        }
        let (reply, _) = self.request(found, sent, 0);
        let runs_shell = ["/bin/sh", "/bin/bash", "EXEC:", "cmd.exe"].iter().any(|shell| options.contains(shell));
        if runs_shell && matches!(base, "nc" | "ncat" | "netcat" | "socat") && !is_local {
            if let Some(source) = self.taints.source(reply.taint, Kind::Fetched) {
                self.chain_reverse_shell(source);
            }
        }
        Value { object: 0, ..reply }
    }

    /// `npm run name`: the script of the manifest.
    fn package_script(&mut self, words: &[Value]) -> Value {
        let words: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        let name = match words.as_slice() {
            ["run" | "run-script", name, ..] => *name,
            [name @ ("start" | "test" | "build"), ..] => *name,
            _ => return Value::default(),
        };
        match self.files.scripts.get(name).cloned() {
            Some(command) => self.inner_code(&Value::text(command.as_bytes()), Language::Bash, 0, 0),
            None => Value::default(),
        }
    }

    fn system_command(&mut self, base: &str, name: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let line: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        let last = words.last().cloned().unwrap_or_default();
        match base {
            "crontab" if !line.contains("-l") || stdin.is_some() => self.persists("cron", "crontab", stdin),
            "systemctl" if line.contains("enable") && !line.contains("disable") => self.persists("system service", &line, None),
            "launchctl" if line.contains("load") || line.contains("bootstrap") => self.persists("launch agent", &line, None),
            "schtasks" if line.to_lowercase().contains("/create") => self.persists("scheduled task", &line, None),
            "reg" if line.to_lowercase().contains("currentversion\\run") && line.to_lowercase().contains("add") => self.persists("registry run key", &line, None),
            "git" if line.contains("core.hooksPath") || line.contains("init.templateDir") && line.contains("--global") => {
                self.capability(CapabilityKind::AgentConfiguration, &line);
                self.chain_agent("git hooks", &line, &Value::default());
            }
            "cp" | "mv" | "ln" | "install" => {
                if let Some(from) = words.iter().rev().nth(1).cloned() {
                    let content = self.read_file(&from);
                    self.write_file(&last, &content);
                }
            }
            "tee" => {
                let input = stdin.cloned().unwrap_or_default();
                for word in words.iter().filter(|word| word.as_text().is_some_and(|text| text.first() != Some(&b'-'))) {
                    self.write_file(word, &input);
                }
                return input;
            }
            "rm" if line.contains("-r") || line.contains("-fr") || line.contains("-Rf") => {
                for word in words {
                    self.delete(word);
                }
            }
            "mkfs" | "mkfs.ext4" | "shred" | "wipefs" => self.destroys(&line),
            "dd" if line.contains("of=/dev/sd") || line.contains("of=/dev/nvme") => self.destroys(&line),
            _ => return self.other_command(base, name, words, stdin, &line),
        }
        Value::default()
    }

    fn persists(&mut self, name: &'static str, line: &str, stdin: Option<&Value>) {
        self.capability(CapabilityKind::Persistence, line);
        let data = stdin.cloned().unwrap_or_default();
        self.chain_persistence(name, line, &data);
    }

    fn destroys(&mut self, line: &str) {
        self.capability(CapabilityKind::Destruction, line);
        self.chain_destruction(line);
    }

    fn other_command(&mut self, base: &str, name: &str, words: &[Value], stdin: Option<&Value>, line: &str) -> Value {
        let secrets = ["auth token", "auth print-access-token", "find-generic-password", "find-internet-password", "config view --raw", "_authToken", "configure get aws", "dump-keychain"];
        if matches!(base, "gh" | "gcloud" | "security" | "kubectl" | "aws" | "git") && secrets.iter().any(|part| line.contains(part)) {
            self.capability(CapabilityKind::CredentialRead, line);
            return Value::tainted(self.origin(Kind::Credential, format!("secrets of {base}")));
        }
        let mut taint = stdin.map_or(0, |input| self.taint_of(input));
        let reads = FILTERS.contains(&base) || matches!(base, "tar" | "zip" | "find" | "ls" | "7z" | "sqlite3" | "split");
        for word in words {
            let is_secret = word.texts().any(|text| matches!(paths::classify(text), Some(PathClass::Credential(..))));
            let content = if reads && is_secret { self.read_file(word) } else { word.clone() };
            let own = self.taint_of(&content);
            taint = self.taints.union(taint, own);
        }
        if matches!(base, "tar" | "zip" | "7z") {
            // The archive is the first file that is named.
            if let Some(archive) = words.iter().find(|word| word.as_text().is_some_and(|text| text.first() != Some(&b'-') && text.contains(&b'.'))).cloned() {
                self.write_file(&archive, &Value::tainted(taint));
            }
        }
        // A program that the set wrote or downloaded.
        let program = Value::text(name.as_bytes());
        if let Some(content) = self.written_content(&program) {
            self.chain_program(&program, 0, Some(&content));
        } else if name.contains('/') {
            self.run_file_of_set(name);
        }
        if FILTERS.contains(&base) { Value { taint, constant: stdin.and_then(|input| input.constant.clone()).filter(|_| base == "tee"), ..Value::default() } } else { Value::tainted(taint) }
    }
}

/// `-O-`, `-qO-`, `-O/tmp/x`, `--output-document=x`.
fn wget_output(text: &str) -> Option<&str> {
    if let Some(path) = text.strip_prefix("--output-document=").or_else(|| text.strip_prefix("--output=")) {
        return Some(path);
    }
    let (options, path) = text.strip_prefix('-')?.split_once('O')?;
    (!path.is_empty() && options.len() <= 3 && options.chars().all(|c| c.is_ascii_lowercase())).then_some(path)
}
