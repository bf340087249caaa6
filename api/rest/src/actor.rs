//! Actors, as the API shows them.

use common::incident;
use directory::Grant;
use records::{Actor, ActorKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::word_of;

/// Actor of a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Actor)]
pub struct ActorView {
    /// Kind of the actor.
    #[serde(rename = "type")]
    #[schema(schema_with = kind)]
    kind: &'static str,
    /// Id of the key, user or report; empty for the service itself.
    id: String,
    /// Name of the actor at that time.
    name: String,
}

fn kind() -> utoipa::openapi::schema::ObjectBuilder {
    word_of::<ActorKind>("Kind of the actor: a signed-in user, an API key, a report, or the service itself")
}

impl From<Actor> for ActorView {
    fn from(actor: Actor) -> Self {
        let Actor { kind, id, name } = actor;
        Self { kind: kind.as_str(), id, name }
    }
}

impl From<incident::Actor> for ActorView {
    fn from(actor: incident::Actor) -> Self {
        Actor::key(actor.key_id, &actor.key_name).into()
    }
}

/// The key of a request as the actor of a change of settings or incidents.
pub fn acting(grant: &Grant) -> incident::Actor {
    incident::Actor { key_id: grant.key_id, key_name: grant.key_name.clone() }
}

/// The key of a request as the actor of a change of a record.
#[must_use]
pub fn actor(grant: &Grant) -> Actor {
    Actor::key(grant.key_id, &grant.key_name)
}
