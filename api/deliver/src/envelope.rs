//! From an event to the bytes that are sent. They are made once, stored, and signed and sent as they are at every
//! attempt.

use bytes::Bytes;
use common::event::{Event, EventId};
use common::ids::{OrganizationId, ReceiverId};
use common::timestamp::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;

/// The version of the envelope (specification, Versioning).
pub const API_VERSION: &str = "2026-07-08";
/// The kind of test events. Nobody subscribes to it.
pub const TEST_EVENT: &str = "webhook.test";
/// The kind of test records of telemetry endpoints. Nobody subscribes to it.
pub const TEST_RECORD: &str = "telemetry.test";
/// Most bytes of a payload.
pub const MAX_PAYLOAD_BYTES: usize = 256 * 1024;

/// The payload that receivers read.
#[derive(Serialize)]
struct Envelope<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'a str,
    api_version: &'static str,
    created_at: String,
    organization_id: String,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    object: &'a Value,
}

/// An event that cannot be sent.
#[derive(Debug, Error)]
pub enum EnvelopeError {
    /// It is too large, and nothing of it may be left out.
    #[error("the payload of {id} has {found} bytes, expected at most {MAX_PAYLOAD_BYTES}")]
    TooLarge {
        /// The event.
        id: String,
        /// Its bytes.
        found: usize,
    },
    /// It is no JSON.
    #[error("the event cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// The payload of an event. Of a finding that would be too large the end of its patch is left out, and said so; one that
/// is not carries no `finding_detail_url` (specification, Object shapes).
///
/// # Errors
/// [`EnvelopeError`].
pub(crate) fn payload(event: &Event) -> Result<Bytes, EnvelopeError> {
    let is_finding = event.object.get("object").is_some_and(|object| object == "finding");
    if !is_finding {
        return checked(event, wrap(event, &event.object)?);
    }
    let mut finding = event.object.clone();
    let url = finding.as_object_mut().and_then(|fields| fields.remove("finding_detail_url"));
    let whole = wrap(event, &finding)?;
    if whole.len() <= MAX_PAYLOAD_BYTES {
        return Ok(whole);
    }
    if let (Some(fields), Some(url)) = (finding.as_object_mut(), url) {
        fields.insert("finding_detail_url".to_owned(), url);
    }
    let excess = wrap(event, &finding)?.len().saturating_sub(MAX_PAYLOAD_BYTES);
    shorten_patch(&mut finding, excess);
    checked(event, wrap(event, &finding)?)
}

/// The payload of a test event: an ordinary envelope of a kind that nobody subscribes to.
///
/// # Errors
/// [`EnvelopeError::Json`].
pub(crate) fn test_payload(
    id: EventId,
    organization: OrganizationId,
    at: Timestamp,
    target: ReceiverId,
) -> Result<Bytes, EnvelopeError> {
    let message = "Test event. If its signature can be verified, the webhook target is set up correctly.";
    let object = json!({ "object": "webhook_test", "message": message, "target_id": target });
    write(&Envelope::new(id, TEST_EVENT, at, organization, &object))
}

/// The payload of a telemetry endpoint's test record, likewise.
///
/// # Errors
/// [`EnvelopeError::Json`].
pub(crate) fn test_record_payload(
    id: EventId,
    organization: OrganizationId,
    at: Timestamp,
    endpoint: ReceiverId,
) -> Result<Bytes, EnvelopeError> {
    let message = "Test record. Security events will arrive where this record arrived.";
    let object = json!({ "object": "telemetry_test", "message": message, "endpoint_id": endpoint });
    write(&Envelope::new(id, TEST_RECORD, at, organization, &object))
}

fn wrap(event: &Event, object: &Value) -> Result<Bytes, EnvelopeError> {
    write(&Envelope::new(event.id, event.kind.as_str(), event.created_at, event.organization, object))
}

fn write(envelope: &Envelope<'_>) -> Result<Bytes, EnvelopeError> {
    // Without the room that a growing vector leaves: it is kept in memory for a while.
    Ok(serde_json::to_vec(envelope)?.into_boxed_slice().into())
}

impl<'a> Envelope<'a> {
    fn new(
        id: EventId,
        kind: &'a str,
        created_at: Timestamp,
        organization: OrganizationId,
        object: &'a Value,
    ) -> Self {
        Self {
            id: id.to_string(),
            kind,
            api_version: API_VERSION,
            created_at: created_at.to_iso(),
            organization_id: organization.to_string(),
            data: Data { object },
        }
    }
}

fn checked(event: &Event, payload: Bytes) -> Result<Bytes, EnvelopeError> {
    if payload.len() > MAX_PAYLOAD_BYTES {
        return Err(EnvelopeError::TooLarge { id: event.id.to_string(), found: payload.len() });
    }
    Ok(payload)
}

/// Takes at least `excess` bytes, as JSON writes them, from the end of a finding's patch, whole lines where there are any.
fn shorten_patch(finding: &mut Value, excess: usize) {
    let Some(patch) = finding.pointer_mut("/remediation/patch").and_then(Value::as_object_mut) else {
        return;
    };
    // `truncated` may grow from false to true: one byte less, never one more.
    patch.insert("truncated".to_owned(), Value::Bool(true));
    let Some(Value::String(diff)) = patch.get_mut("diff") else { return };
    let mut gone = 0;
    let mut keep = 0;
    for (at, character) in diff.char_indices().rev() {
        if gone >= excess {
            keep = at + character.len_utf8();
            break;
        }
        gone += written_bytes(character);
    }
    let line_end = diff.get(..keep).and_then(|kept| kept.rfind('\n')).map_or(keep, |newline| newline + 1);
    diff.truncate(line_end);
}

/// Bytes of a character in a JSON string as `serde_json` writes it.
fn written_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests;
