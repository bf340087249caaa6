//! Requests that all settings resources answer in the same way: a page of them, one of them, its change, its deletion.

use axum::response::Response;
use common::ids::OrganizationId;
use directory::{DirectoryError, Resource, Table};
use http::StatusCode;
use serde::Serialize;

use crate::error::ApiError;
use crate::page::{Page, PageQuery};
use crate::reply;

/// The body of a PATCH. It is applied again when another change came first.
pub trait Patch<R>: Default + PartialEq {
    /// Applies the properties that the body names.
    fn apply(&self, resource: &mut R) -> Result<(), DirectoryError>;

    /// Refuses a body that names no property.
    fn named(self) -> Result<Self, ApiError> {
        if self == Self::default() {
            return Err(ApiError::Invalid("the body must contain at least one property to change".into()));
        }
        Ok(self)
    }
}

/// Sets a property that a body names.
pub fn set<T: Clone>(property: &mut T, named: Option<&T>) {
    if let Some(named) = named {
        property.clone_from(named);
    }
}

/// A page of resources, newest first.
pub async fn page<R: Resource, V: From<R> + Serialize>(
    table: Table<'_, R>,
    organization: OrganizationId,
    query: PageQuery,
) -> Result<Response, ApiError> {
    let (resources, total) = query.newest_first(table.list(organization).await?);
    reply::json(StatusCode::OK, &Page::<V>::new(query, resources.into_iter().map(V::from).collect(), total))
}

/// A resource of the organization; one of another is not found, like one that does not exist.
pub async fn found<R: Resource>(
    table: Table<'_, R>,
    organization: OrganizationId,
    id: R::Id,
) -> Result<R, ApiError> {
    table.get(organization, id).await?.ok_or(ApiError::NotFound(table.name()))
}

/// Deletes a resource of the organization.
pub async fn removed<R: Resource>(
    table: Table<'_, R>,
    organization: OrganizationId,
    id: R::Id,
) -> Result<StatusCode, ApiError> {
    if table.delete(organization, id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound(table.name()))
    }
}

/// Changes a resource by the body of a PATCH.
pub async fn changed<R: Resource>(
    table: Table<'_, R>,
    organization: OrganizationId,
    id: R::Id,
    body: impl Patch<R>,
) -> Result<R, ApiError> {
    let body = body.named()?;
    table.update(organization, id, |resource| body.apply(resource)).await.map_err(missing(table.name()))
}

/// Names the resource that was not found.
pub fn missing(name: &'static str) -> impl Fn(DirectoryError) -> ApiError {
    move |error| match error {
        DirectoryError::NotFound => ApiError::NotFound(name),
        other => other.into(),
    }
}
