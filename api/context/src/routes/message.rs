//! `POST /context/message`.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use rest::authenticate::Caller;
use rest::body::{Bounds, check_json, not_null, parse};
use rest::error::ApiError;
use rest::openapi::Refusals;
use rest::query::StrictQuery;
use rest::scope::ContextWrite;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaFormat, Type};

use super::{received, stored};
use crate::Shared;
use crate::message::Message;
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::view::ArtifactView;

/// Longest text in characters (specification, Limits: Message).
const MOST_CHARACTERS: usize = 1_048_576;
/// Longest channel, most links, longest link in bytes.
const LONGEST_CHANNEL: usize = 64;
const MOST_LINKS: usize = 50;
const LONGEST_LINK: usize = 2_048;
/// Largest body: the longest text in escapes of six bytes, and all links.
const BOUNDS: Bounds = Bounds { bytes: 6_553_600, arrival: Duration::from_secs(30) };

/// Request body of a scan of a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextMessage, example = json!({"text": "Please confirm your password at https://login.example/", "channel": "slack"}))]
pub(crate) struct MessageBody {
    /// Text of the message. Not stored.
    #[schema(min_length = 1, max_length = 1_048_576)]
    text: String,
    /// Channel of the message.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    channel: Option<String>,
    /// URIs that belong to the message beside those in its text. Not followed, not stored.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = links, required = false)]
    links: Option<Vec<String>>,
}

fn links() -> ArrayBuilder {
    let link = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("uri".to_owned())))
        .max_length(Some(LONGEST_LINK));
    ArrayBuilder::new()
        .description(Some(
            "URIs that belong to the message beside those in its text. Not followed, not stored.",
        ))
        .items(link)
        .max_items(Some(MOST_LINKS))
}

impl MessageBody {
    fn checked(self) -> Result<Message, ApiError> {
        let invalid = |message: String| Err(ApiError::Invalid(message.into()));
        let characters = self.text.chars().count();
        if !(1..=MOST_CHARACTERS).contains(&characters) {
            return invalid(format!("text: expected 1 to {MOST_CHARACTERS} characters, found {characters}"));
        }
        if self.channel.as_deref().is_some_and(|channel| !is_channel(channel)) {
            return invalid(format!(
                "channel: expected 1 to {LONGEST_CHANNEL} letters, digits, `.`, `_` and `-`, beginning with a letter or digit"
            ));
        }
        let links = self.links.unwrap_or_default();
        if links.len() > MOST_LINKS {
            return invalid(format!("links: expected at most {MOST_LINKS}, found {}", links.len()));
        }
        if let Some(place) =
            links.iter().position(|link| link.len() > LONGEST_LINK || Url::parse(link).is_err())
        {
            return invalid(format!("links[{place}]: expected a URI of at most {LONGEST_LINK} bytes"));
        }
        Ok(Message { channel: self.channel, links, text: self.text })
    }
}

fn is_channel(channel: &str) -> bool {
    let letters = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    channel.len() <= LONGEST_CHANNEL
        && channel.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && channel.as_bytes().iter().all(letters)
}

/// Scan a message
///
/// Scores a message on behavior and content: orders to the agent that reads it, pretexts, requests for credentials, payments and
/// commands, links. Links are not followed. The text is not stored; the result is kept for 30 days, without excerpts. Every request
/// scans again.
#[utoipa::path(
    post,
    path = "/context/message",
    operation_id = "scan_message",
    tag = "Context",
    params(ContextQuery),
    request_body = MessageBody,
    responses(
        (status = 200, description = "The result", body = ArtifactView),
        (status = 415, description = "The body is not sent as plain application/json", body = rest::error::ErrorBody),
        Refusals
    )
)]
pub(crate) async fn scan(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    check_json(request.headers())?;
    let (body, turn) = received(&app, organization, request, BOUNDS).await?;
    let message = parse::<MessageBody>(&body)?.checked()?;
    drop(body);
    let subject = message.subject().map_err(ApiError::internal)?;
    let assessment = app.scan(move |engine| engine.message(&message)).await?;
    drop(turn);
    let artifact = Artifact::new(subject, organization, app.kit.clock.now(), &assessment);
    stored(&app, artifact, query).await
}
