//! The routes with their descriptions, at their place below the site.

use axum::routing::MethodRouter;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::Shared;
use crate::routes::{change, counts, import, list, show, triage};

/// All routes of the organization API. `guard` stands before each.
pub(crate) fn mount(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    let routes = OpenApiRouter::default()
        .routes(routes!(list::list).map(&guard))
        .routes(routes!(counts::histogram).map(&guard))
        .routes(routes!(counts::facets).map(&guard))
        .routes(routes!(import::import).map(&guard))
        .routes(routes!(show::show, change::review, change::delete).map(&guard))
        .routes(routes!(triage::request).map(&guard));
    rest::openapi::mounted(routes)
}
