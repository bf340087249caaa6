//! `POST /context/package`.

use axum::extract::State;
use axum::response::Response;
use outbound::Requester;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Refusals};
use rest::query::StrictQuery;
use rest::scope::ContextWrite;
use serde::Deserialize;
use utoipa::ToSchema;

use super::public::scanned;
use super::stored;
use crate::Shared;
use crate::package::{self, Target};
use crate::public_content::PublicContent;
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::view::ArtifactView;

/// Longest target in characters (specification, Limits).
const LONGEST_TARGET: usize = 2_048;

/// Request body of a scan of a package.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextPackage, example = json!({"target": "npm:left-pad@1.3.0"}))]
pub(crate) struct PackageBody {
    /// `ecosystem:name@version` with the ecosystem `npm`, `pypi` (`pip`), `go`, `rubygems` (`gem`) or `github-action` (`actions`).
    /// Without `@version`, the release that a plain install selects.
    #[schema(min_length = 1, max_length = 2048)]
    target: String,
}

/// Scan a package
///
/// Scores a release of a package: metadata of its registry, its archive, its code and its texts, without executing anything. The identifier
/// is the SHA-256 of the canonical `ecosystem:name@version`; without a version the response names the resolved one. A release that was not
/// scanned is answered with the score of its identity and `pending_deep_scan`, and scanned; `mode=full` waits for that, at most 35 s. A
/// package that cannot be read is `dangerous`, with the threat `package_unscannable`. Results are shared by all organizations.
#[utoipa::path(
    post,
    path = "/context/package",
    operation_id = "scan_package",
    tag = "Context",
    params(ContextQuery),
    request_body = PackageBody,
    responses((status = 200, description = "The result", body = ArtifactView), BodyRefusals, Refusals)
)]
pub(crate) async fn scan(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    body: StrictJson<PackageBody>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let text = body.value.target;
    let characters = text.chars().count();
    if !(1..=LONGEST_TARGET).contains(&characters) {
        let message = format!("target: expected 1 to {LONGEST_TARGET} characters, found {characters}");
        return Err(ApiError::Invalid(message.into()));
    }
    let target =
        Target::parse(&text).map_err(|error| ApiError::Invalid(format!("target: {error}").into()))?;
    let resolved = package::resolve(&app.scanner, Requester::interactive(organization), target.clone()).await;
    let failure = match resolved {
        Ok(target) => return scanned(&app, organization, &PublicContent::Package(target), query).await,
        Err(failure) => failure,
    };
    let assessment = package::unscannable(&app.scanner.engine, &target, &failure);
    let artifact = Artifact::new(target.subject(), organization, app.kit.clock.now(), &assessment);
    stored(&app, artifact, query).await
}
