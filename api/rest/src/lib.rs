//! Building blocks of every REST resource: a resource crate contains its own handlers and views, and takes the rest of a
//! request's way from here. Nothing here knows a resource.
//!
//! The way of a request: [`family::Family::serve`] (`exchange`: id, panic, error body) → router → [`family::Family::guard`]
//! (`authenticate`: key, admission, rate) → extractors ([`authenticate::Caller`], [`path`], [`query`], [`body`]) → handler → [`page`],
//! [`settings`], [`creation`] → [`reply`] or [`error::ApiError`].
//!
//! * **Authentication.** A handler learns an organization only from a [`authenticate::Caller`], which names the scope that it
//!   needs.
//! * **Strictness.** Unknown and repeated query parameters, unknown properties and bodies that are too large or too slow are
//!   refused with a message that states the expected form.
//! * **Errors.** Every error is an [`error::ApiError`]. `From<X> for ApiError` stands beside `X`, or in `error/causes.rs` for
//!   the crates that know no HTTP. The [`error::Shape`] of the body belongs to the family of routes, not to the error.
//! * **Repetition.** [`creation::once`] carries a creation out once for each `Idempotency-Key`, for 24 hours.
//! * **Bounds.** Body size and time, query parameters, buckets of the rate limit, and remembered requests of an organization
//!   and of an API key are bounded; each constant states its reason.

pub mod actor;
pub mod address_limit;
pub mod admission;
pub mod authenticate;
pub mod body;
pub mod creation;
pub mod error;
mod exchange;
pub mod facets;
pub mod family;
pub mod histogram;
pub mod html;
pub mod idempotency;
pub mod kit;
pub mod openapi;
pub mod page;
pub mod path;
pub mod query;
mod rate_limit;
pub mod record_limit;
pub mod records;
pub mod reply;
pub mod request_id;
pub mod scope;
pub mod settings;
pub mod turns;
