//! A source as the API shows it.

use common::partition::Partition;
use common::row::{self, SourceActivity};
use common::timestamp::Timestamp;
use directory::Source;
use ledger::{Kind, LedgerId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use rest::error::ApiError;

/// A source of logs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSource)]
pub(crate) struct SourceView {
    /// The source's id.
    #[schema(format = Uuid, example = "67e55044-10b1-426f-9247-bb680e5fe0c8")]
    id: String,
    /// `infrastructure_source`.
    #[schema(example = "infrastructure_source")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "bastion hosts")]
    name: String,
    /// Application group of the source.
    #[schema(min_length = 1, max_length = 100, example = "checkout")]
    application_group: String,
    /// Environment of the source.
    #[schema(min_length = 1, max_length = 50, example = "production")]
    environment: String,
    /// Whether logs of the source are accepted.
    enabled: bool,
    /// URL for logs: an OTLP/HTTP logs endpoint, which also accepts log drains.
    #[schema(format = "uri")]
    logs_url: String,
    /// When its last analysed batch was accepted; null before the first.
    #[schema(required, format = DateTime)]
    last_received_at: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A source with what else is known of it.
pub(super) async fn view(app: &App, source: Source) -> Result<SourceView, ApiError> {
    let last_received_at = last_received_at(app, &source).await?;
    Ok(SourceView {
        id: source.id.to_string(),
        object: "infrastructure_source",
        logs_url: format!("{}/infrastructure/sources/{}/v1/logs", app.kit.base_url, source.id),
        name: source.name,
        application_group: source.application_group,
        environment: source.environment,
        enabled: source.enabled,
        last_received_at: last_received_at.map(Timestamp::to_iso),
        created_at: source.created_at.to_iso(),
        updated_at: source.updated_at.to_iso(),
    })
}

/// What the analyzer of the source's partition has noted.
async fn last_received_at(app: &App, source: &Source) -> Result<Option<Timestamp>, ApiError> {
    let ledger = LedgerId::Partition(Partition::of_source(source.id, app.kit.partitions));
    let key = row::source_activity_key(source.organization, source.id);
    let Some(body) = app.kit.ledger.get(ledger, Kind::State, &key).await? else { return Ok(None) };
    let activity: SourceActivity = row::decode(&body)?;
    Ok(Some(activity.last_received_at))
}
