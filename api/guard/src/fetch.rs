//! A PDF by URL: fetched under the address guard and the limits of the contract.

use std::time::Duration;

use common::ids::OrganizationId;
use http::HeaderMap;
use outbound::{Caps, Coding, Outbound, Policy, Reading, Request, Requester};
use rest::error::ApiError;

use crate::errors;
use crate::intake::{self, MAX_PDF_BYTES};

/// Limits of a fetch (contracts: PDF by URL).
const DEADLINE: Duration = Duration::from_secs(30);
const REDIRECTS: u8 = 5;
/// Headers of a reply: an ordinary server sends 1 KiB.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Fetches a PDF.
pub(crate) async fn pdf(
    outbound: &Outbound,
    organization: OrganizationId,
    url: &str,
) -> Result<Vec<u8>, ApiError> {
    let destination = outbound.destination(url).map_err(errors::unreadable_url)?;
    let caps = Caps {
        body_bytes: MAX_PDF_BYTES,
        reading: Reading::Whole,
        coding: Coding::Inflated,
        header_bytes: MAX_HEADER_BYTES,
        deadline: Some(DEADLINE),
    };
    let policy = Policy { redirects: REDIRECTS, ..Policy::default() };
    let request = Request::get(HeaderMap::new(), caps, policy);
    let requester = Requester::interactive(organization);
    let reply = outbound.send(requester, &destination, request).await.map_err(errors::unreadable_url)?;
    if reply.status != http::StatusCode::OK.as_u16() {
        let status = reply.status;
        return Err(errors::unreadable_url(format_args!("expected the status 200, found {status}")));
    }
    intake::checked_pdf(reply.body.into())
}
