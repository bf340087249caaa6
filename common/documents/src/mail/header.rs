//! Header fields of a message.

use std::collections::BTreeMap;
use std::net::IpAddr;

use mail_parser::{Address, HeaderName, HeaderValue, Host, Message};
use serde::{Deserialize, Serialize};

/// Fields that are kept of each kind.
const MOST_FIELDS: usize = 100;
/// Bytes of a value that are kept. Longer ones are cut.
const MOST_VALUE_BYTES: usize = 2_048;
/// Bytes of the subjects that are kept: they are text for readers.
const MOST_SUBJECT_BYTES: usize = 64 * 1024;

/// Header fields that checks use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Headers {
    /// Senders of all `From` fields; a mail should have one.
    pub from: Vec<Mailbox>,
    /// `Sender`.
    pub sender: Vec<Mailbox>,
    /// `Reply-To`.
    pub reply_to: Vec<Mailbox>,
    /// Address of `Return-Path`; empty for a mail without one (`<>`).
    pub return_path: Option<String>,
    /// `To` and `Cc`.
    pub recipients: Vec<Mailbox>,
    /// `Subject`, decoded; several of them as lines, since programs differ in which one they show.
    pub subject: Option<String>,
    /// Whether the subjects are longer than is kept.
    pub is_subject_cut: bool,
    /// `Date`, in seconds since 1970.
    pub date: Option<i64>,
    /// `Message-ID`.
    pub message_id: Option<String>,
    /// `Received`, the last hop first.
    pub received: Vec<Hop>,
    /// `Authentication-Results`, the last server first.
    pub authentication_results: Vec<String>,
    /// Number of `DKIM-Signature`.
    pub dkim_signatures: u32,
    /// Number of complete sets of ARC (RFC 8617): seal, signature, results.
    pub arc_sets: u32,
    /// Fields of mailing lists (`List-Id`, `List-Unsubscribe` ...).
    pub list: Vec<Header>,
    /// Other fields, for example those of a mail program.
    pub other: Vec<Header>,
    /// Names of fields, in lower case, that occur more than once although RFC 5322 permits one. Programs differ in which one they use.
    pub repeated: Vec<String>,
    /// Whether a value contains control characters other than tabs: programs differ in its end.
    pub has_controls: bool,
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Name as written.
    pub name: String,
    /// Value without line breaks, as written.
    pub value: String,
}

/// Delivery from one host to the next (`Received`). Lines below the one of a trusted host may be forged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// Value without line breaks.
    pub value: String,
    /// Name that the delivering host gave itself (`from`), in lower case.
    pub from: Option<String>,
    /// Address of the delivering host, as the receiving one saw it.
    pub address: Option<IpAddr>,
    /// Name of the receiving host, in lower case.
    pub by: Option<String>,
}

/// An address with its display name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// Display name, decoded.
    pub name: Option<String>,
    /// Address as written.
    pub address: String,
}

/// Reads the header of a message.
pub(super) fn read(message: &Message<'_>) -> Headers {
    let mut headers = Headers::default();
    let Some(root) = message.parts.first() else { return headers };
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut arc = [0_u32; 3];
    for header in &root.headers {
        let raw = message
            .raw_message
            .get(header.offset_start as usize..header.offset_end as usize)
            .unwrap_or_default();
        let value = unfolded(raw);
        headers.has_controls |= value.chars().any(|sign| sign.is_control() && sign != '\t');
        *counts.entry(header.name.as_str().to_ascii_lowercase()).or_default() += 1;
        match &header.name {
            HeaderName::From => mailboxes(&header.value, &mut headers.from),
            HeaderName::Sender => mailboxes(&header.value, &mut headers.sender),
            HeaderName::ReplyTo => mailboxes(&header.value, &mut headers.reply_to),
            HeaderName::To | HeaderName::Cc => mailboxes(&header.value, &mut headers.recipients),
            HeaderName::ReturnPath => {
                headers
                    .return_path
                    .get_or_insert_with(|| value.trim_matches(['<', '>', ' ', '\t']).to_owned());
            }
            HeaderName::Subject => {
                header.value.as_text().into_iter().for_each(|text| add_subject(&mut headers, text));
            }
            HeaderName::Date => {
                headers.date =
                    header.value.as_datetime().filter(|date| date.is_valid()).map(|date| date.to_timestamp())
            }
            HeaderName::MessageId => headers.message_id = header.value.as_text().map(cut),
            HeaderName::Received => push(&mut headers.received, hop(&header.value, value)),
            HeaderName::AuthenticationResults => push(&mut headers.authentication_results, value),
            HeaderName::DkimSignature => headers.dkim_signatures += 1,
            HeaderName::ArcSeal => arc[0] += 1,
            HeaderName::ArcMessageSignature => arc[1] += 1,
            HeaderName::ArcAuthenticationResults => arc[2] += 1,
            name => {
                let name = name.as_str().to_owned();
                let is_list = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("list-"));
                let fields = if is_list { &mut headers.list } else { &mut headers.other };
                push(fields, Header { name: cut(&name), value });
            }
        }
    }
    headers.arc_sets = arc.into_iter().min().unwrap_or_default();
    headers.repeated = counts
        .into_iter()
        .filter(|(name, count)| *count > 1 && is_single(name))
        .map(|(name, _)| name)
        .collect();
    headers
}

/// Fields that occur once (RFC 5322, 3.6; RFC 2045).
fn is_single(name: &str) -> bool {
    const NAMES: [&str; 15] = [
        "from",
        "sender",
        "reply-to",
        "to",
        "cc",
        "bcc",
        "subject",
        "date",
        "message-id",
        "in-reply-to",
        "references",
        "mime-version",
        "content-type",
        "content-transfer-encoding",
        "content-disposition",
    ];
    NAMES.contains(&name)
}

fn add_subject(headers: &mut Headers, text: &str) {
    let subject = match headers.subject.take() {
        Some(before) => format!("{before}\n{text}"),
        None => text.to_owned(),
    };
    let end = subject.floor_char_boundary(MOST_SUBJECT_BYTES);
    headers.is_subject_cut |= end < subject.len();
    headers.subject = subject.get(..end).map(str::to_owned);
}

fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() < MOST_FIELDS {
        list.push(value);
    }
}

fn mailboxes(value: &HeaderValue<'_>, list: &mut Vec<Mailbox>) {
    let Some(addresses) = value.as_address() else { return };
    let mut add = |name: Option<&str>, address: Option<&str>| {
        let mailbox = Mailbox { name: name.map(cut), address: cut(address.unwrap_or_default()) };
        push(list, mailbox);
    };
    match addresses {
        Address::List(list) => list.iter().for_each(|one| add(one.name.as_deref(), one.address.as_deref())),
        Address::Group(groups) => {
            let members = groups.iter().flat_map(|group| &group.addresses);
            members.for_each(|one| add(one.name.as_deref(), one.address.as_deref()));
        }
    }
}

/// A delivery; without hosts if the field has another form.
fn hop(field: &HeaderValue<'_>, value: String) -> Hop {
    let HeaderValue::Received(received) = field else { return Hop { value, ..Hop::default() } };
    let name = |host: &Option<Host<'_>>| match host {
        Some(Host::Name(name)) => Some(cut(&name.to_lowercase())),
        Some(Host::IpAddr(_)) | None => None,
    };
    let literal = match received.from {
        Some(Host::IpAddr(address)) => Some(address),
        _ => None,
    };
    let address = received.from_ip.or(literal);
    Hop { value, from: name(&received.from), address, by: name(&received.by) }
}

/// A value on one line.
fn unfolded(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let joined: String = text.trim().chars().filter(|sign| !matches!(sign, '\r' | '\n')).collect();
    cut(&joined)
}

/// The start of a text, as much as is kept of it.
pub(super) fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MOST_VALUE_BYTES)).unwrap_or_default().to_owned()
}
