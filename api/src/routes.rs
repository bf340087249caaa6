//! Every route below `{base_url}`, one file per resource, each with its part of the interface description.

mod api_keys;
mod detection_rules;
mod document;
mod incidents;
mod monitoring_policies;
mod organization;
pub(crate) mod pages;
mod sources;
mod suppressions;
mod telemetry;
mod webhook_deliveries;
mod webhooks;

use axum::routing::MethodRouter;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::app::Shared;

/// All routes. `guard` stands before those that need an API key.
pub(crate) fn all(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(incidents::list).map(&guard))
        .routes(routes!(incidents::histogram::show).map(&guard))
        .routes(routes!(incidents::facets::show).map(&guard))
        .routes(routes!(incidents::show, incidents::review).map(&guard))
        .routes(routes!(sources::list, sources::create).map(&guard))
        .routes(routes!(sources::show, sources::change, sources::delete).map(&guard))
        .routes(routes!(sources::status::show).map(&guard))
        .routes(routes!(detection_rules::list, detection_rules::create).map(&guard))
        .routes(routes!(detection_rules::trial::run).map(&guard))
        .routes(routes!(detection_rules::show, detection_rules::replace, detection_rules::delete).map(&guard))
        .routes(routes!(suppressions::list, suppressions::create).map(&guard))
        .routes(routes!(suppressions::preview).map(&guard))
        .routes(routes!(suppressions::show, suppressions::delete).map(&guard))
        .routes(routes!(monitoring_policies::list, monitoring_policies::create).map(&guard))
        .routes(
            routes!(monitoring_policies::show, monitoring_policies::change, monitoring_policies::delete)
                .map(&guard),
        )
        .routes(routes!(webhooks::list, webhooks::create).map(&guard))
        .routes(routes!(webhooks::show, webhooks::change, webhooks::delete).map(&guard))
        .routes(routes!(webhooks::secret::rotate).map(&guard))
        .routes(routes!(webhooks::test::send).map(&guard))
        .routes(routes!(webhook_deliveries::recover).map(&guard))
        .routes(routes!(webhook_deliveries::list_of_target).map(&guard))
        .routes(routes!(webhook_deliveries::list).map(&guard))
        .routes(routes!(webhook_deliveries::redeliver).map(&guard))
        .routes(routes!(telemetry::list, telemetry::create).map(&guard))
        .routes(routes!(telemetry::show, telemetry::change, telemetry::delete).map(&guard))
        .routes(routes!(telemetry::test::send).map(&guard))
        .routes(routes!(api_keys::list, api_keys::create).map(&guard))
        .routes(routes!(api_keys::revoke).map(&guard))
        .routes(routes!(api_keys::rotate).map(&guard))
        .routes(routes!(organization::show).map(&guard))
        .routes(routes!(document::show))
}
