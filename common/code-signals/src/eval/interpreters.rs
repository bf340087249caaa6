//! Commands that execute code: shells and interpreters by argument, file or standard input.

use super::Machine;
use crate::ir::HOLE;
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, ObjectId, Value};

impl Machine<'_> {
    /// The output of a command that executes code; `None` for other commands.
    pub(super) fn interpreter(
        &mut self,
        base: &str,
        words: &[Value],
        stdin: Option<&Value>,
        scope: ObjectId,
    ) -> Option<Value> {
        let plain = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let language = match plain {
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" => Some(Language::Bash),
            "python" | "pypy" | "pythonw" | "py" => Some(Language::Python),
            "node" | "deno" | "nodejs" => Some(Language::JavaScript),
            "ruby" => Some(Language::Ruby),
            "perl" | "php" | "osascript" | "lua" | "tclsh" => None,
            // Without the number at the end of their names.
            "powershell" | "pwsh" | "cmd" | "mshta" | "wscript" | "cscript" | "rundll" | "regsvr"
            | "certutil" | "bitsadmin" => {
                return Some(self.windows_command(base, words));
            }
            "eval" => {
                let mut parts = Vec::new();
                for word in words {
                    parts.push(word.clone());
                    parts.push(Value::text(b" "));
                }
                let code = self.concat(&parts);
                return Some(self.execute_in(&code, Language::Bash, scope));
            }
            "source" | "." => {
                let file = words.first().cloned().unwrap_or_default();
                return Some(self.run_script_file(&file, Some(Language::Bash)));
            }
            "open" | "xdg-open" | "chmod" => return None,
            _ => return None,
        };
        Some(self.interpret(language, words, stdin))
    }

    fn interpret(&mut self, language: Option<Language>, words: &[Value], stdin: Option<&Value>) -> Value {
        let is_pip =
            |pair: &[Value]| pair.iter().zip(["-m", "pip"]).all(|(word, name)| self.text_of(word) == name);
        if language == Some(Language::Python) && words.windows(2).any(is_pip) {
            self.chain_foreign_install(words);
        }
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text =
                word.as_text().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
            let takes_code = match language {
                Some(Language::JavaScript) => {
                    matches!(text.as_str(), "-e" | "--eval" | "-p" | "--print" | "-pe" | "eval")
                }
                Some(Language::Ruby) | None => matches!(text.as_str(), "-e" | "-r" | "-ne" | "-pe"),
                _ => {
                    text.starts_with('-') && !text.starts_with("--") && text.ends_with('c') && text.len() <= 5
                }
            };
            if takes_code {
                let code = words.next().cloned().unwrap_or_default();
                return self.execute_by(&code, language);
            }
            if text == "-m" || text == "-s" && language == Some(Language::Bash) && stdin.is_some() {
                break;
            }
            if text == "-" || text.starts_with('-') || text == "run" && language == Some(Language::JavaScript)
            {
                continue;
            }
            return self.run_script_file(word, language);
        }
        match stdin {
            Some(code) => {
                let code = code.clone();
                self.execute_by(&code, language)
            }
            None => Value::default(),
        }
    }

    /// Languages without a reader are judged by the origin of their code.
    fn execute_by(&mut self, code: &Value, language: Option<Language>) -> Value {
        match language {
            Some(language) => self.execute_in(code, language, 0),
            None => {
                let taint = self.taint_of(code);
                self.chain_execute(code, taint);
                let shown = self.text_of(code);
                self.capability(CapabilityKind::DynamicExecution, &shown);
                Value::tainted(taint)
            }
        }
    }

    /// A line for a shell may have data in its words; only a line that is data itself is code from elsewhere.
    fn execute_in(&mut self, code: &Value, language: Language, scope: ObjectId) -> Value {
        let taint = self.taint_of(code);
        if language == Language::Bash {
            self.chain_shell(code, taint);
            let shown = self.text_of(code);
            self.capability(CapabilityKind::Shell, &shown);
        } else {
            self.chain_execute(code, taint);
        }
        let mut result = Value::tainted(taint);
        if code.as_text().is_some_and(|text| text.as_ref() != HOLE) {
            let output = self.inner_code(code, language, scope, taint);
            result.or(&output, &mut self.taints);
        }
        result
    }

    /// A script by its path: written by the set, or a file of it.
    fn run_script_file(&mut self, path: &Value, language: Option<Language>) -> Value {
        if let Some(content) = self.written_content(path) {
            let taint = self.taint_of(&content);
            self.chain_file_run(taint, path);
            if let Some(language) = language {
                let code = Value { taint, ..content };
                self.inner_code(&code, language, 0, taint);
            }
            return Value::tainted(taint);
        }
        let taint = self.taint_of(path);
        if path.as_text().is_none() && taint != 0 {
            self.chain_file_run(taint, path);
        }
        let text = self.text_of(path);
        self.run_file_of_set(&text);
        Value::default()
    }

    /// Runs a file of the set at the current time.
    pub(super) fn run_file_of_set(&mut self, path: &str) {
        let Some(file) = self.files.by_path(path, self.file) else { return };
        self.run_module(file);
        let content = self.files.list.get(file as usize).map(|file| (file.path.to_lowercase(), file.content));
        let Some((name, content)) = content else { return };
        if [".bat", ".cmd"].iter().any(|end| name.ends_with(end)) && content.len() <= 1 << 16 {
            let site = (std::mem::replace(&mut self.file, file), std::mem::replace(&mut self.line, 1));
            for line in String::from_utf8_lossy(content).lines().take(400) {
                let code = Value::text(batch_line(line).as_bytes());
                self.inner_code(&code, Language::Bash, 0, 0);
                self.line += 1;
            }
            (self.file, self.line) = site;
        }
    }

    /// PowerShell, the command line of Windows and its downloaders: by the form of the line.
    fn windows_command(&mut self, base: &str, words: &[Value]) -> Value {
        if matches!(base, "wscript" | "cscript" | "mshta" | "rundll32" | "regsvr32") {
            for word in words {
                // The name of a function follows that of a library.
                let text = self.text_of(word);
                let file = Value::text(text.split(',').next().unwrap_or_default().as_bytes());
                if let Some(content) = self.written_content(&file) {
                    let taint = self.taint_of(&content);
                    self.chain_file_run(taint, &file);
                }
            }
        }
        let taint = self.taint_of_all(words);
        let line: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        self.capability(CapabilityKind::Shell, &line);
        let joined = self.concat(words);
        let code = Value { taint, ..joined };
        self.chain_shell(&code, taint);
        let lower = line.to_lowercase();
        if matches!(base, "certutil" | "bitsadmin") {
            self.windows_download(&lower, words);
        }
        let any = |forms: &[&str]| forms.iter().any(|form| lower.contains(form));
        let downloads = any(&[
            "downloadstring",
            "downloadfile",
            "downloaddata",
            "invoke-webrequest",
            "iwr ",
            "invoke-restmethod",
            "irm ",
            "curl ",
            "wget ",
            "start-bitstransfer",
            "net.webclient",
            "-urlcache",
            "/transfer",
        ]) || matches!(base, "mshta" | "regsvr32") && lower.contains("://");
        let executes =
            any(&["iex", "invoke-expression", "start-process", "& ", "[scriptblock]", ".exe", "start "])
                || matches!(base, "mshta" | "regsvr32");
        let decodes = any(&["-enc", "-encodedcommand", "-e ", "frombase64string"]);
        if downloads && executes {
            let endpoint = crate::endpoint::find(&line).map(std::rc::Rc::new);
            let place = endpoint.as_ref().map_or("unknown address", |endpoint| &endpoint.place).to_owned();
            let source = self.origin_with(Kind::Fetched, place, endpoint, &[]);
            self.chain_execute(&Value::tainted(source), source);
        } else if decodes && base != "cmd" && line.split_whitespace().any(|word| word.len() > 40) {
            let source = self.origin(Kind::Decoded, "encoded command".into());
            self.chain_execute(&Value::tainted(source), source);
        } else if base == "cmd" {
            let inner =
                line.split_once("/c ").or_else(|| line.split_once("/C ")).map(|(_, inner)| inner.to_owned());
            if let Some(inner) = inner {
                self.inner_code(&Value { taint, ..Value::text(inner.as_bytes()) }, Language::Bash, 0, taint);
            }
        }
        Value::tainted(taint)
    }

    /// Programs of Windows that store what an address provides, or decode a file: the last word is the file that they write.
    fn windows_download(&mut self, line: &str, words: &[Value]) {
        let address = words.iter().find(|word| self.text_of(word).contains("://")).cloned();
        let Some((file, before)) = words.split_last() else { return };
        if line.contains("-decode") {
            let content = before.last().map(|from| self.read_file(from)).unwrap_or_default();
            self.write_file(file, &content);
        } else if let Some(address) =
            address.filter(|_| line.contains("-urlcache") || line.contains("/transfer"))
        {
            self.download_command("curl", &[address, Value::text(b"-o"), file.clone()], None);
        }
    }

    /// Output of a command that goes to a file; network devices of the shell are connections.
    pub(super) fn redirected_to(&mut self, path: &Value, name: &str, words: &[Value]) {
        let text = self.text_of(path);
        let Some(address) = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/")) else {
            return;
        };
        let endpoint = crate::endpoint::of_host(address.split('/').next().unwrap_or_default(), "");
        let taint = self.taint_of_all(words);
        let (reply, is_local) = self.request(Some(std::rc::Rc::new(endpoint)), taint, 0);
        let is_shell = matches!(name.rsplit('/').next().unwrap_or_default(), "sh" | "bash" | "zsh" | "exec");
        if let (Some(source), true, false) =
            (self.taints.source(reply.taint, Kind::Fetched), is_shell, is_local)
        {
            self.chain_reverse_shell(source);
        }
    }
}

/// A line of a batch file in the form of Unix shells: variables, separators of paths, without the sign that hides it.
fn batch_line(line: &str) -> String {
    let mut out = String::new();
    for (index, part) in line.trim().trim_start_matches('@').replace('\\', "/").split('%').enumerate() {
        let is_variable =
            index % 2 == 1 && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_variable && !part.is_empty() {
            out.push_str(&format!("${{{part}}}"));
        } else {
            out.push_str(part);
        }
    }
    out
}
