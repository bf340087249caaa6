//! Commands that use the network.

use super::Machine;
use crate::endpoint;
use crate::paths::{self, PathClass};
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// Downloads: the reply goes to standard output or a file; data in the arguments is sent.
    pub(super) fn download_command(&mut self, base: &str, words: &[Value], stdin: Option<&Value>) -> Value {
        let mut sent = 0;
        let mut file: Option<Value> = None;
        let mut url: Option<&Value> = None;
        let mut remote_name = base == "wget";
        for (index, word) in words.iter().enumerate() {
            let text = self.text_of(word);
            let previous = index
                .checked_sub(1)
                .and_then(|index| words.get(index))
                .map(|word| self.text_of(word))
                .unwrap_or_default();
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
            if matches!(
                text.as_str(),
                "-O" | "--remote-name" | "-LO" | "-OL" | "-sO" | "-sSLO" | "-fsSLO" | "-LJO"
            ) && base == "curl"
            {
                remote_name = true;
            }
            if let Some(path) = wget_output(&text) {
                remote_name = false;
                file = (path != "-").then(|| Value::text(path.as_bytes()));
            }
            if text.contains("://")
                || url.is_none() && !text.starts_with('-') && text.contains('.') && !previous.starts_with('-')
            {
                url = url
                    .filter(|url| {
                        url.as_text().is_some_and(|text| text.windows(3).any(|part| part == b"://"))
                    })
                    .or(Some(word));
            }
            let uploads = previous.starts_with("-F")
                || previous.starts_with("--form")
                || previous.starts_with("-d")
                || previous.starts_with("--data")
                || text.starts_with("-F")
                || text.starts_with("-d")
                || text.starts_with("--data");
            let path = if uploads {
                text.split_once('@').map(|(_, path)| path.split(';').next().unwrap_or_default())
            } else {
                None
            };
            let path =
                path.or(if matches!(previous.as_str(), "-T" | "--upload-file" | "--post-file" | "-K") {
                    Some(text.as_str())
                } else {
                    text.strip_prefix("--post-file=")
                });
            if let Some(path) = path {
                let content = if path == "-" {
                    stdin.cloned().unwrap_or_default()
                } else {
                    self.read_file(&Value::text(path.as_bytes()))
                };
                let taint = self.taint_of(&content);
                sent = self.taints.union(sent, taint);
            }
        }
        let address = url.map(|url| self.text_of(url)).unwrap_or_default();
        let found = endpoint::find(&address).or_else(|| {
            address
                .contains('.')
                .then(|| endpoint::of_host(address.split('/').next().unwrap_or_default(), ""))
        });
        let (reply, _) = self.request(found.map(std::rc::Rc::new), sent, 0);
        let reply = Value { object: 0, ..reply };
        if remote_name && file.is_none() {
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
        if runs_shell && matches!(base, "nc" | "ncat" | "netcat" | "socat") && !is_local {
            if let Some(source) = self.taints.source(reply.taint, Kind::Fetched) {
                self.chain_reverse_shell(source);
            }
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
