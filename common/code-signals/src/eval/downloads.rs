//! Commands that use the network.

use super::Machine;
use crate::endpoint;
use crate::paths::{self, PathClass};
use crate::value::{Kind, Value};

/// Meaning of the words of a download command.
#[derive(Default)]
struct Download {
    address: String,
    /// File for the reply.
    file: Option<Value>,
    /// The file has the name of the address.
    named_by_address: bool,
    /// Files whose content is sent.
    uploads: Vec<String>,
}

impl Download {
    fn read(is_wget: bool, words: &[String]) -> Self {
        let mut read = Self { named_by_address: is_wget, ..Self::default() };
        let mut previous = "";
        for word in words {
            read.word(is_wget, previous, word);
            previous = word;
        }
        read
    }

    fn word(&mut self, is_wget: bool, previous: &str, word: &str) {
        let output = match previous {
            "-o" | "--output" if !is_wget => Some(word),
            "-O" | "--output-document" if is_wget => Some(word),
            _ if is_wget => wget_output(word),
            _ => word.strip_prefix("--output="),
        };
        if let Some(output) = output {
            self.named_by_address = false;
            self.file = (output != "-").then(|| Value::text(output.as_bytes()));
            return;
        }
        let is_short = word.starts_with('-') && !word.starts_with("--");
        if !is_wget && (word == "--remote-name" || is_short && word.contains('O') && !word.contains('/')) {
            self.named_by_address = true;
        }
        let sends = ["-F", "-d", "--form", "--data"]
            .iter()
            .any(|option| previous.starts_with(option) || word.starts_with(option));
        let upload = if sends {
            word.split_once('@').map(|(_, path)| path.split(';').next().unwrap_or_default())
        } else {
            None
        };
        let upload = match previous {
            "-T" | "--upload-file" | "--post-file" | "-K" => Some(word),
            _ => upload.or_else(|| word.strip_prefix("--post-file=")),
        };
        if let Some(upload) = upload {
            self.uploads.push(upload.to_owned());
        } else if word.contains("://")
            || self.address.is_empty()
                && !sends
                && !word.starts_with('-')
                && word.contains('.')
                && !previous.starts_with("-H")
        {
            word.clone_into(&mut self.address);
        }
    }
}

impl Machine<'_> {
    /// Downloads: the reply goes to standard output or a file; data in the arguments is sent.
    pub(super) fn download_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let texts: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        let download = Download::read(base == "wget", &texts);
        let mut sent = self.taint_of_all(words);
        for path in &download.uploads {
            let content = match path.as_str() {
                "-" => stdin.cloned().unwrap_or_default(),
                path => self.read_file(&Value::text(path.as_bytes())),
            };
            let taint = self.taint_of(&content);
            sent = self.taints.union(sent, taint);
        }
        let address = download.address.as_str();
        let plain = || {
            address
                .contains('.')
                .then(|| endpoint::of_host(address.split('/').next().unwrap_or_default(), ""))
        };
        let found = endpoint::find(address).or_else(plain);
        let (reply, _) = self.request(found.map(std::rc::Rc::new), sent, 0);
        let reply = Value { object: 0, ..reply };
        let mut file = download.file;
        if download.named_by_address && file.is_none() {
            let name =
                address.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            file = Some(Value::text(name.as_bytes()));
        }
        if let Some(file) = file {
            self.write_file(&file, &reply);
        }
        reply
    }

    pub(super) fn connect_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let options: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        let host = options.split_whitespace().find(|word| {
            word.contains('.') && !word.starts_with(['-', '~', '/', '.'])
                || word.contains(':') && !word.starts_with('-')
        });
        let host = host.unwrap_or_default();
        let name = host.rsplit('@').next().unwrap_or_default();
        let name =
            name.trim_start_matches("tcp:").trim_start_matches("TCP:").split(':').next().unwrap_or_default();
        let found = (!name.is_empty()).then(|| std::rc::Rc::new(endpoint::of_host(name, "")));
        let is_local =
            found.as_ref().is_some_and(|endpoint| endpoint.reputation == endpoint::Reputation::Local);
        let mut sent = stdin.map_or(0, |input| self.taint_of(input));
        for word in words {
            let content = match word.texts().find_map(|text| paths::classify(text)) {
                Some(PathClass::Credential(..))
                    if matches!(base, "scp" | "rsync")
                        && !options.contains(" -i ")
                        && !options.starts_with("-i ") =>
                {
                    self.read_file(word)
                }
                _ => word.clone(),
            };
            let taint = self.taint_of(&content);
            sent = self.taints.union(sent, taint);
        }
        let (reply, _) = self.request(found, sent, 0);
        let runs_shell =
            ["/bin/sh", "/bin/bash", "EXEC:", "cmd.exe"].iter().any(|shell| options.contains(shell));
        let serves = runs_shell && matches!(base, "nc" | "ncat" | "netcat" | "socat") && !is_local;
        if let Some(source) = self.taints.source(reply.taint, Kind::Fetched).filter(|_| serves) {
            self.chain_reverse_shell(source);
        }
        Value { object: 0, ..reply }
    }
}

/// `-O-`, `-qO-`, `-O/tmp/x`, `--output-document=x`.
fn wget_output(text: &str) -> Option<&str> {
    if let Some(path) = text.strip_prefix("--output-document=").or_else(|| text.strip_prefix("--output=")) {
        return Some(path);
    }
    let (options, path) = text.strip_prefix('-')?.split_once('O')?;
    (!path.is_empty() && options.len() <= 3 && options.chars().all(|c| c.is_ascii_lowercase()))
        .then_some(path)
}
