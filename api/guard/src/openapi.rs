//! The routes with their descriptions.

use axum::routing::MethodRouter;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::{Shared, guard, redact, verify};

/// All routes. `admit` stands before each.
pub(crate) fn routes(admit: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(guard::classify).map(&admit))
        .routes(routes!(redact::redact).map(&admit))
        .routes(routes!(verify::verify).map(&admit))
}
