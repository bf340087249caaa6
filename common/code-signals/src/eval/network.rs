//! The network: requests send their arguments and give replies.

use std::rc::Rc;

use super::Machine;
use super::calls::{Called, Given};
use crate::api::Effect;
use crate::endpoint::{self, Endpoint, Reputation};
use crate::ir::Const;
use crate::report::{CapabilityKind, Time};
use crate::source::Language;
use crate::value::{Kind, Value};

/// Functions that wait for their connection, and rounds in which they are executed: more change no result.
const MOST_LATER: usize = 256;
const MOST_ROUNDS: usize = 3;

/// Functions that were given to a connection.
#[derive(Debug)]
pub(crate) struct Later {
    arguments: Vec<Given>,
    given: Value,
    place: (u32, u32, Time),
}

impl Machine<'_> {
    /// The address among values: a URL, or the host of an options object.
    pub(super) fn endpoint_among(&self, values: &[&Value]) -> Option<Endpoint> {
        let from_texts = values.iter().find_map(|value| {
            value.texts().find_map(|text| {
                endpoint::find(&String::from_utf8_lossy(
                    text.get(..text.len().min(2_048)).unwrap_or_default(),
                ))
            })
        });
        from_texts
            .or_else(|| values.iter().find_map(|value| self.endpoint_in_object(value)))
            .or_else(|| values.iter().find_map(|value| endpoint_of_pair(value)))
    }

    fn endpoint_in_object(&self, value: &Value) -> Option<Endpoint> {
        let object = self.object(value.object).filter(|object| !object.is_scope)?;
        let mut host = None;
        let mut path = String::new();
        for (name, field) in &object.fields {
            match self.names.text(*name) {
                "url" | "uri" | "baseURL" | "URL" => {
                    if let Some(found) = endpoint::find(&self.text_of(field)) {
                        return Some(found);
                    }
                }
                "host" | "hostname" => {
                    host = field.as_text().map(|text| String::from_utf8_lossy(text).into_owned())
                }
                "path" => path = self.text_of(field),
                _ => {}
            }
        }
        if let Some(host) = host {
            return Some(endpoint::of_host(&host, &path));
        }
        // The address of a socket is a pair.
        let first = object.items.first()?.as_text()?;
        let host = String::from_utf8_lossy(first).into_owned();
        host.contains('.').then(|| endpoint::of_host(&host, ""))
    }

    /// The address of a connection or request object.
    fn endpoint_of_object(&self, value: &Value) -> Option<Rc<Endpoint>> {
        let own = self.object(value.object).map_or(0, |object| object.taint);
        [value.taint, own].into_iter().find_map(|taint| {
            let source = self.taints.source(taint, Kind::Fetched)?;
            self.sources.get(source as usize)?.endpoint.clone()
        })
    }

    pub(super) fn is_connection(&self, value: &Value) -> bool {
        let own = self.object(value.object).map_or(0, |object| object.taint);
        value.path != 0
            && [value.taint, own].into_iter().any(|taint| self.taints.source(taint, Kind::Fetched).is_some())
    }

    /// A request: its arguments leave the machine; the reply is data from the network.
    pub(super) fn network(&mut self, called: &Called) -> Value {
        let mut values: Vec<&Value> = called.values().collect();
        values.extend(&called.receiver);
        let found = self.endpoint_among(&values).map(Rc::new);
        let found = found.or_else(|| values.iter().find_map(|value| self.endpoint_of_object(value)));
        let given = self.taint_of_all(called.values());
        let held = called.receiver.as_ref().map_or(0, |receiver| self.taint_of(receiver));
        let all = self.taints.union(given, held);
        let sent = self.taints.without(all, Kind::Given);
        self.judge_receiver(called, found.as_deref(), sent);
        let content = self.content_taint(called);
        self.keep_request(found.as_deref(), all, content);
        let (result, _) = self.request(found.clone(), sent, called.callee.path);
        self.hand_over(called, found.as_deref(), result.taint);
        let returned = self.call_backs(&called.arguments, &result);
        Value { taint: self.taints.union(result.taint, returned.taint), ..result }
    }

    /// The rules of receivers for a request.
    fn judge_receiver(&mut self, called: &Called, found: Option<&Endpoint>, sent: u32) {
        if sent == 0 && found.is_none() {
            return;
        }
        let is_address = |value: &&Value| {
            value.texts().any(|text| memchr::memmem::find(text.get(..64).unwrap_or(text), b"://").is_some())
        };
        let mut addresses: Vec<Value> = called.values().filter(is_address).cloned().collect();
        addresses.extend(called.receiver.iter().filter(is_address).cloned());
        let address = self.taint_of_all(&addresses);
        let host = found.map_or("an unknown address", |found| found.host.as_str()).to_owned();
        if found.is_none_or(|found| found.reputation != Reputation::Local) {
            self.chain_concealed_address(address, sent, &host);
        }
        for value in &addresses {
            let text = self.text_of(value);
            if sent != 0 || text.contains('\u{FFFC}') || called.arguments.len() > 1 {
                self.chain_fixed_receiver(&text);
            }
        }
        let content = self.content_taint(called);
        self.chain_receiver(found, sent, content);
    }

    /// Origins of a request without those of its headers and of its connection.
    pub(super) fn content_taint(&mut self, called: &Called) -> u32 {
        const HEADERS: [&str; 3] = ["headers", "auth", "httpAgent"];
        let mut content = Vec::new();
        for given in &called.arguments {
            let named = given.keyword.map(|name| self.names.text(name));
            if named.is_some_and(|name| HEADERS.contains(&name)) {
                continue;
            }
            let parts = self.object(given.value.object).filter(|object| {
                !object.is_scope && object.fields.keys().any(|name| HEADERS.contains(&self.names.text(*name)))
            });
            match parts {
                Some(object) => content.extend(
                    object
                        .fields
                        .iter()
                        .filter(|(name, _)| !HEADERS.contains(&self.names.text(**name)))
                        .map(|(_, value)| value.clone()),
                ),
                None if self.is_connection(&given.value) => {}
                None => content.push(given.value.clone()),
            }
        }
        self.taint_of_all(&content)
    }

    /// Sends data to an address.
    pub(crate) fn request(&mut self, endpoint: Option<Rc<Endpoint>>, sent: u32, path: u32) -> (Value, bool) {
        let is_local = endpoint.as_ref().is_some_and(|endpoint| endpoint.reputation == Reputation::Local);
        let host = endpoint.as_ref().map_or("unknown address", |endpoint| &endpoint.place).to_owned();
        self.capability(CapabilityKind::Fetch, &host);
        if sent != 0 {
            self.capability(CapabilityKind::Send, &host);
        }
        // Clients name the address of cloud metadata to refuse it.
        let is_drop = endpoint.as_ref().is_some_and(|endpoint| {
            endpoint.reputation == Reputation::Drop && (self.early() || !endpoint.is_of_user)
        });
        if is_drop && !host.starts_with("169.254.169.254") {
            self.capability(CapabilityKind::DropEndpoint, &host);
        }
        if !is_local {
            self.chain_send(sent, endpoint.as_deref());
        }
        let is_metadata = self.early() && host.starts_with("169.254.169.254");
        let mut taint = if is_local { 0 } else { self.origin_with(Kind::Fetched, host, endpoint, &[]) };
        if is_metadata {
            let secrets = self.origin(Kind::Credential, "credentials of the cloud instance".into());
            taint = self.taints.union(taint, secrets);
        }
        let object = self.new_object();
        let identity = self.fresh_identity(u64::from(path));
        (Value { taint, object, path: self.paths.called(path), identity, ..Value::default() }, is_local)
    }

    /// An object that later sends and receives.
    pub(super) fn connection(&mut self, called: &Called) -> Value {
        let mut values: Vec<&Value> = called.values().collect();
        values.extend(&called.receiver);
        let found = self.endpoint_among(&values);
        // `connect((host, port))` and `connect(port, host)`.
        let texts = values
            .iter()
            .find_map(|value| value.as_text().filter(|text| text.len() < 256 && text.contains(&b'.')));
        // `dial("tcp", "host:port")`.
        let found = found.or_else(|| {
            let text = String::from_utf8_lossy(texts?);
            Some(endpoint::of_host(text.split(':').next().unwrap_or_default(), ""))
        });
        let found = found.map(Rc::new);
        let arguments = self.taint_of_all(called.values());
        let is_method = called.receiver.as_ref().is_some_and(|receiver| {
            self.paths.effect(receiver.path) == Some(Effect::Connection) || receiver.object != 0
        });
        let host = found.as_ref().map_or("unknown address", |endpoint| &endpoint.place).to_owned();
        let is_local = found.as_ref().is_some_and(|endpoint| endpoint.reputation == Reputation::Local);
        let taint = if is_local { 0 } else { self.origin_with(Kind::Fetched, host, found, &[]) };
        let taint = self.taints.union(taint, arguments);
        let object = match &called.receiver {
            Some(receiver) if is_method && receiver.object != 0 => receiver.object,
            _ => self.new_object(),
        };
        self.add_taint(object, taint);
        let result = Value {
            taint,
            object,
            path: self.paths.called(called.callee.path),
            identity: self.fresh_identity(3),
            ..Value::default()
        };
        let is_script = matches!(self.current_language, Language::JavaScript | Language::TypeScript);
        if is_script && self.later.len() < MOST_LATER {
            // Executes once the connection exists, when the statement of the call has long kept it under its name.
            let place = (self.file, self.line, self.time);
            self.later.push(Later { arguments: called.arguments.clone(), given: result.clone(), place });
        } else {
            self.call_backs(&called.arguments, &result);
        }
        result
    }

    /// Executes the functions that were given to connections, and those that they give to others, for a bounded number of rounds.
    pub(super) fn run_later(&mut self) {
        for _ in 0..MOST_ROUNDS {
            for Later { arguments, given, place } in std::mem::take(&mut self.later) {
                (self.file, self.line, self.time) = place;
                self.call_backs(&arguments, &given);
            }
        }
    }

    /// A name that is looked up can carry data to the server of its domain.
    pub(super) fn dns(&mut self, called: &Called) -> Value {
        let name = called.at(0).cloned().unwrap_or_default();
        let taint = self.taint_of(&name);
        if taint != 0 {
            let shown = self.text_of(&name);
            self.capability(CapabilityKind::Dns, &shown);
            let host = shown.trim_start_matches(['\u{FFFC}', '.', '-']).to_owned();
            let endpoint = endpoint::of_host(&host, "");
            self.chain_dns(taint, &endpoint);
            self.keep_request(Some(&endpoint), taint, taint);
        }
        // Records of text hold anything that the owner of the domain wrote into them.
        let is_text = self.path_text(called.callee.path).to_ascii_lowercase().ends_with("txt")
            || called.at(1).and_then(Value::as_text).is_some_and(|kind| kind.eq_ignore_ascii_case(b"TXT"));
        let mut answer = Value::default();
        if is_text {
            let shown = self.text_of(&name);
            let place = if shown.is_empty() { "an unknown domain".to_owned() } else { shown.clone() };
            let endpoint = (!shown.is_empty()).then(|| Rc::new(endpoint::of_host(&shown, "")));
            answer.taint = self.origin_with(Kind::Fetched, format!("text records of {place}"), endpoint, &[]);
        }
        self.call_backs(&called.arguments, &answer);
        answer
    }
}

/// The address of a socket that is a constant pair of a host and a port.
fn endpoint_of_pair(value: &Value) -> Option<Endpoint> {
    let Some(Const::List(list)) = &value.constant else { return None };
    let [Const::Text(host), Const::Number(_)] = &**list else { return None };
    let host = String::from_utf8_lossy(host);
    (host.len() < 256 && host.contains('.')).then(|| endpoint::of_host(&host, ""))
}
