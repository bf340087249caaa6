//! Requests that all record resources answer in the same way: one of them, and its history.

use axum::response::Response;
use common::ids::{OrganizationId, RecordId};
use http::StatusCode;
use records::{Entry, MAX_PAGE, Record};
use serde::Serialize;

use crate::error::ApiError;
use crate::kit::Kit;
use crate::page::{Page, PageQuery};
use crate::reply;

/// A record of the organization; one of another is not found, like one that does not exist.
pub async fn found<R: Record>(kit: &Kit, organization: OrganizationId, id: RecordId) -> Result<R, ApiError> {
    kit.records.get(organization, id).await?.ok_or(ApiError::NotFound(R::NAME))
}

/// A page of the history of a record, newest first: of its latest [`MAX_PAGE`] entries.
pub async fn history<R: Record, V: From<R::History> + Serialize>(
    kit: &Kit,
    organization: OrganizationId,
    id: RecordId,
    query: PageQuery,
) -> Result<Response, ApiError> {
    let _: R = found(kit, organization, id).await?;
    let entries = kit.records.history::<R>(organization, id, None, MAX_PAGE).await?;
    let total = entries.len() as u64;
    let part = entries.into_iter().skip(query.offset as usize).take(query.limit as usize);
    let views = part.map(|Entry { entry, .. }| V::from(entry)).collect();
    reply::json(StatusCode::OK, &Page::new(query, views, total))
}
