//! Authentication: the bearer key of a request becomes a grant, its rate is counted, and handlers take it as a [`Caller`]
//! that names the scope they need (specification, Authentication). How keys are looked up is the directory's.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use common::ids::OrganizationId;
use directory::Grant;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use thiserror::Error;

use crate::admission::Admission;
use crate::error::ApiError;
use crate::family::Family;
use crate::rate_limit::Refusal;
use crate::scope::Scope;

/// State of the layer.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) family: Arc<Family>,
    /// Preconditions that are checked before the request rate.
    pub(crate) admission: Option<Admission>,
}

/// Lets a request through that carries a valid key with requests left. Stands before every route that takes a
/// [`Caller`], behind the choice of the method, so that a wrong method is told without a key.
pub(crate) async fn authenticate(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let grant = match grant(&gate.family, request.headers()).await {
        Ok(grant) => grant,
        Err(error) => return error.into_response(),
    };
    // For the log line, which is written where the response passes last.
    let caller = Arc::clone(&grant);
    let mut response = match gate.admit(&grant).await {
        Ok(()) => within_rate(&gate.family, grant, request, next).await,
        Err(error) => error.into_response(),
    };
    response.extensions_mut().insert(caller);
    response
}

impl Gate {
    async fn admit(&self, grant: &Grant) -> Result<(), ApiError> {
        match self.admission {
            Some(admission) => admission.check(&self.family.kit, grant).await,
            None => Ok(()),
        }
    }
}

async fn within_rate(family: &Family, grant: Arc<Grant>, mut request: Request, next: Next) -> Response {
    let verdict = family.rate.take(grant.key_id, grant.organization);
    let mut response = if let Some(Refusal { message, retry_seconds }) = verdict.refusal {
        ApiError::RateLimited { message, retry_seconds }.into_response()
    } else {
        request.extensions_mut().insert(grant);
        next.run(request).await
    };
    verdict.describe(response.headers_mut(), family.conventions.shape);
    response
}

async fn grant(family: &Family, headers: &HeaderMap) -> Result<Arc<Grant>, ApiError> {
    let aliases = family.conventions.key_headers;
    let presented =
        headers.contains_key(AUTHORIZATION) || aliases.iter().any(|name| headers.contains_key(*name));
    let key = key(headers, aliases).ok_or(ApiError::Unauthorized { presented })?;
    Ok(family.kit.authenticator.authenticate(key).await?)
}

/// The key of a request: that of `Authorization`, otherwise that of the first other header of the family. Clients that send
/// both send the same key.
fn key<'h>(headers: &'h HeaderMap, aliases: &[&str]) -> Option<&'h str> {
    if headers.contains_key(AUTHORIZATION) {
        return bearer(headers);
    }
    aliases.iter().find_map(|name| headers.get(*name)?.to_str().ok()).map(str::trim)
}

/// The one bearer token of a request (RFC 6750 section 2.1); the scheme's case does not matter (RFC 9110 section 11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let only = values.next().filter(|_| values.next().is_none())?;
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The key a request came with, known to hold the scope `S`. The only way for a handler to learn an organization.
pub struct Caller<S> {
    grant: Arc<Grant>,
    scope: PhantomData<fn() -> S>,
}

impl<S: Scope> Caller<S> {
    /// Organization of the key.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.grant.organization
    }

    /// Grant of the key.
    #[must_use]
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// Refuses the request where the key does not hold `Also` as well, which a part of it needs.
    pub fn require<Also: Scope>(&self) -> Result<(), ApiError> {
        required::<Also>(&self.grant)
    }
}

fn required<S: Scope>(grant: &Grant) -> Result<(), ApiError> {
    if grant.allows(S::NAME) { Ok(()) } else { Err(ApiError::Scope { scope: S::NAME }) }
}

/// A route without the authentication layer takes a caller: a mistake of ours.
#[derive(Debug, Error)]
#[error("the route has no authentication layer")]
struct NoGrant;

impl<S: Scope, State: Sync> FromRequestParts<State> for Caller<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &State) -> Result<Self, ApiError> {
        let grant = parts.extensions.get::<Arc<Grant>>().ok_or_else(|| ApiError::internal(NoGrant))?;
        required::<S>(grant)?;
        Ok(Self { grant: Arc::clone(grant), scope: PhantomData })
    }
}
