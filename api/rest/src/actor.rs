//! Actors, as the API shows them.

use common::incident::Actor;
use directory::Grant;
use serde::Serialize;
use utoipa::ToSchema;

/// Actor of a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Actor)]
pub struct ActorView {
    /// The API key's id.
    #[schema(format = Uuid)]
    key_id: String,
    /// Name of the API key at that time.
    key_name: String,
}

impl From<Actor> for ActorView {
    fn from(actor: Actor) -> Self {
        let Actor { key_id, key_name } = actor;
        Self { key_id: key_id.to_string(), key_name }
    }
}

/// The key of a request as the actor of what it does.
pub fn acting(grant: &Grant) -> Actor {
    Actor { key_id: grant.key_id, key_name: grant.key_name.clone() }
}
