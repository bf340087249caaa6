//! An application as the API shows it: never its credentials, and never the values of its headers.

use directory::{Application, RedTeamSettings};
use red_team::ScheduleView;
use rest::openapi::text;
use serde::Serialize;
use utoipa::ToSchema;

use crate::inventory::view::InventorySummary;

/// An application.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Application)]
pub(crate) struct ApplicationView {
    /// The application's id.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `application`.
    #[schema(example = "application")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "Shop")]
    name: String,
    /// URL of the application, normalized.
    #[schema(max_length = 2048, example = "https://shop.example.com/")]
    url: String,
    /// Repository of the source code.
    #[schema(required)]
    repository_id: Option<String>,
    /// Whether an email address or password of a login is set. They are never returned.
    credentials_set: bool,
    /// Names of the headers, in lower case; their values are never returned.
    #[schema(value_type = Vec<text::HeaderName>)]
    header_names: Vec<String>,
    /// Most requests a minute to the application; null for the default of the service.
    #[schema(required, minimum = 1, maximum = 600)]
    request_throttle_rpm: Option<u16>,
    /// Period of scheduled runs.
    #[schema(schema_with = red_team::red_team_schedule)]
    red_team_schedule: &'static str,
    /// Inventory: numbers of assets, and the latest run.
    inventory: InventorySummary,
    /// Scheduled runs.
    schedule: ScheduleView,
    /// Additional instructions for runs.
    #[schema(required)]
    specific_prompt: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl ApplicationView {
    pub(crate) fn new(application: Application, inventory: InventorySummary, schedule: ScheduleView) -> Self {
        let settings: RedTeamSettings = application.red_team;
        Self {
            id: application.id.to_string(),
            object: "application",
            name: application.name,
            url: application.url,
            repository_id: application.repository_id,
            credentials_set: settings.has_login(),
            header_names: settings.headers.into_keys().collect(),
            request_throttle_rpm: settings.request_throttle_rpm,
            red_team_schedule: settings.schedule.as_str(),
            inventory,
            schedule,
            specific_prompt: application.specific_prompt,
            created_at: application.created_at.to_iso(),
            updated_at: application.updated_at.to_iso(),
        }
    }
}
