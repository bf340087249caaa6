//! Pages of a list: which part is asked for, and the list shape every list is answered in (specification, Resources,
//! Conventions).

use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::query::{FromQuery, Parameters, QueryError};

/// Largest `limit` (specification, Limits).
pub const MAX_LIMIT: u32 = 100;
/// `limit` where none is given.
pub const DEFAULT_LIMIT: u32 = 25;
/// Largest `offset` (specification, Limits: incidents).
pub const MAX_OFFSET: u32 = 1_000_000;

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Maximum number of items.
    #[param(required = false, minimum = 1, maximum = 100, default = 25, example = 25)]
    pub limit: u32,
    /// Number of items to skip.
    #[param(required = false, minimum = 0, maximum = 1_000_000, default = 0, example = 0)]
    pub offset: u32,
}

impl FromQuery for PageQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            limit: parameters.number("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?,
            offset: parameters.number("offset", 0..=MAX_OFFSET, 0)?,
        })
    }
}

impl PageQuery {
    /// Cuts this page, newest first, out of a whole list that begins with the oldest; with the list's length.
    pub fn newest_first<T>(self, items: Vec<T>) -> (Vec<T>, u64) {
        let total = items.len() as u64;
        (items.into_iter().rev().skip(self.offset as usize).take(self.limit as usize).collect(), total)
    }
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// Items in the order of the list.
    pub data: Vec<T>,
    /// Position of the page in the list.
    pub pagination: Pagination,
}

/// Position of a page in its list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"limit": 25, "offset": 0, "total": 1, "has_more": false}))]
pub struct Pagination {
    /// Requested limit.
    pub limit: u32,
    /// Requested offset.
    pub offset: u32,
    /// Exact number of items in the whole list.
    pub total: u64,
    /// Whether more items follow this page.
    pub has_more: bool,
    /// Present, and true, if the organization has more items than the index may hold: the list and its total then
    /// cover the newest ones only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub index_truncated: bool,
}

impl<T> Page<T> {
    /// A page of a complete list.
    pub fn new(query: PageQuery, data: Vec<T>, total: u64) -> Self {
        let end = u64::from(query.offset) + data.len() as u64;
        let pagination = Pagination {
            limit: query.limit,
            offset: query.offset,
            total,
            has_more: end < total,
            index_truncated: false,
        };
        Self { data, pagination }
    }
}
