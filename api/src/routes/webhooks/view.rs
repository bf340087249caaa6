//! A webhook target as the API shows it: never its secret, except in the one reply that hands it out, and never the
//! values of its headers.

use common::event::EventKind;
use deliver::SigningSecret;
use directory::Receiver;
use serde::Serialize;
use utoipa::ToSchema;

use super::selection::Sources;

/// A receiver of events.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTarget)]
pub(crate) struct WebhookView {
    /// The target's id.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `webhook_target`.
    #[schema(example = "webhook_target")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "pager")]
    name: String,
    /// URL for events.
    #[schema(max_length = 2048, example = "https://hooks.example.com/palisade")]
    url: String,
    /// Names of the custom headers, in lower case; their values are never returned.
    #[schema(value_type = Vec<crate::schema::text::HeaderName>)]
    header_names: Vec<String>,
    /// The events it is told of.
    #[schema(schema_with = crate::schema::events)]
    events: Vec<EventKind>,
    /// Sources whose events it receives.
    sources: Sources,
    /// Ids in `sources` of sources that were deleted. They stay selected until they are removed.
    #[schema(value_type = Vec<String>)]
    deleted_sources: Vec<String>,
    /// Whether the target is enabled.
    enabled: bool,
    /// Reason why the service disabled it; null while it is enabled, or if it was disabled over the API.
    #[schema(required)]
    disabled_reason: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A webhook target with its signing secret.
#[derive(Serialize, ToSchema)]
#[schema(as = ShownWebhookTarget)]
pub(crate) struct ShownWebhookView {
    #[serde(flatten)]
    about: WebhookView,
    /// The signing secret, shown only in this response. The signature key is this text, including its prefix.
    #[schema(example = "whsec_…")]
    secret: String,
}

impl WebhookView {
    pub(super) fn new(target: Receiver, deleted_sources: Vec<String>) -> Self {
        Self {
            id: target.id.to_string(),
            object: "webhook_target",
            name: target.name.unwrap_or_default(),
            url: target.url,
            header_names: target.headers.into_keys().collect(),
            events: target.events.into_iter().collect(),
            sources: target.sources.into(),
            deleted_sources,
            enabled: target.enabled,
            disabled_reason: target.disabled_reason,
            created_at: target.created_at.to_iso(),
            updated_at: target.updated_at.to_iso(),
        }
    }
}

impl ShownWebhookView {
    pub(super) fn new(about: WebhookView, secret: &SigningSecret) -> Self {
        Self { about, secret: secret.expose().to_owned() }
    }
}
