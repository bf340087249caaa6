//! The API through its router, as a client meets it; the modules follow the paths. Every reply in every test is checked
//! against the interface description.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agents;
mod api_keys;
mod applications;
mod checker;
mod code_host;
mod conformance;
mod context;
mod context_repositories;
mod console;
mod contributors;
mod creation;
mod detection_rules;
mod findings;
mod harness;
mod idempotency;
mod incidents;
mod infrastructure;
mod inventory;
mod monitoring;
mod monitoring_policies;
mod names;
mod openapi;
mod organization;
mod pages;
mod refusals;
mod seed;
mod stage;
mod suppressions;
mod telemetry;
mod webhooks;

/// Interface descriptions of the routes beside those of the crate.
fn described() -> Vec<utoipa::openapi::OpenApi> {
    vec![
        ::findings::openapi(),
        guard_api::openapi(),
        ::assets::openapi(),
        ::agents::openapi(),
        code_host_api::openapi(),
        ::context::openapi(),
        contributor_trust::openapi(),
    ]
}

/// The interface description with everything that a deployment serves.
fn document() -> String {
    ::api::openapi_document(described())
}
