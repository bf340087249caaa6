//! Secrets, found by the engine that masks logs.

use crate::entity::EntityType;
use crate::policy::{Policy, PolicyError};
use crate::{Match, Redactor};

use super::entity::Entity;
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// The engine with the types that the catalogue does not look for itself.
pub(crate) struct SecretSearch {
    redactor: Redactor,
}

impl SecretSearch {
    pub(crate) fn new() -> Result<Self, PolicyError> {
        let entities = EntityType::ALL.into_iter().filter(|entity| kind(*entity).is_some()).collect();
        Ok(Self { redactor: Redactor::new(&Policy { entities, ..Policy::default() })? })
    }

    pub(crate) fn find(&self, page: &Page<'_>, found: &mut Vec<Candidate>) {
        let mut matches: Vec<Match> = Vec::new();
        self.redactor.find(page.bytes(), &mut matches);
        found.extend(matches.iter().filter_map(|secret| {
            let start = page.text.floor_char_boundary(secret.start);
            let end = page.text.ceil_char_boundary(secret.end);
            let (entity, reason) = kind(secret.entity)?;
            let whole = !page.is_opaque(start, end);
            whole.then_some(Candidate { start, end, entity, reason, rank: Rank::Secret, distance: 0 })
        }));
    }
}

const fn kind(entity: EntityType) -> Option<(Entity, &'static str)> {
    Some(match entity {
        EntityType::PrivateKey => (Entity::PrivateKey, "private key"),
        EntityType::Jwt => (Entity::Jwt, "JSON Web Token"),
        EntityType::ApiKey => (Entity::ApiKey, "API key"),
        EntityType::Authorization => (Entity::Authorization, "authorization header"),
        EntityType::Cookie => (Entity::Cookie, "cookie"),
        EntityType::Password => (Entity::Password, "password"),
        EntityType::Secret => (Entity::Secret, "secret value"),
        _ => return None,
    })
}
