//! `POST /findings/import`: results of other tools in SARIF 2.1.0.

use std::time::Duration;

use axum::extract::{self, Request};
use axum::response::Response;
use code_host::{repositories, repository_by_name};
use common::ids::{ApplicationId, OrganizationId};
use engine::sarif::{MAX_BYTES, Root};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use rest::actor::actor;
use rest::authenticate::Caller;
use rest::body::{Bounds, check_coding, receive};
use rest::error::ApiError;
use rest::kit::Kit;
use rest::openapi::{NotFound, Refusals};
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::scope::FindingsWrite;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Shared;
use crate::import::{Import, Imported};
use crate::measure;
use crate::target::Target;

/// Size of a file, and the time that its arrival may take: 20 MiB at 3 Mbit/s.
const BOUNDS: Bounds = Bounds { bytes: MAX_BYTES, arrival: Duration::from_secs(60) };
/// Media types of the file.
const MEDIA_TYPES: [&str; 2] = ["application/json", "application/sarif+json"];

/// Target of an import, exactly one of repository and application, and the folder of its checkout.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Repository that was analysed: `owner/name`, or its id at the code host.
    #[param(min_length = 1, max_length = 200)]
    repository: Option<String>,
    /// Application that was analysed.
    #[param(value_type = Option<String>, format = Uuid)]
    application_id: Option<ApplicationId>,
    /// Folder of the checkout on the machine of the tool, as an absolute path or a `file` URI. Paths of the file below it become
    /// relative to it, so that the same result has the same identity in another folder.
    #[param(min_length = 1, max_length = 1000, example = "/home/ci/shop")]
    root: Option<String>,
}

impl FromQuery for ImportQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            repository: parameters.text("repository", 1..=200)?,
            application_id: parameters.id("application_id")?,
            root: parameters.text("root", 1..=Root::MAX_BYTES)?,
        })
    }
}

impl ImportQuery {
    fn root(&self) -> Result<Option<Root>, ApiError> {
        let root = self.root.as_deref().map(Root::parse).transpose();
        root.map_err(|error| ApiError::Invalid(format!("root: {error}").into()))
    }

    async fn target(self, kit: &Kit, organization: OrganizationId) -> Result<Target, ApiError> {
        match (self.repository, self.application_id) {
            (Some(name), None) => repository(kit, organization, &name).await,
            (None, Some(id)) => {
                let found = kit.directory.applications().get(organization, id).await?;
                found.map(|_| Target::Application { id }).ok_or(ApiError::NotFound("application"))
            }
            _ => Err(ApiError::Invalid(
                "expected exactly one of the parameters repository and application_id".into(),
            )),
        }
    }
}

async fn repository(kit: &Kit, organization: OrganizationId, name: &str) -> Result<Target, ApiError> {
    let found = match name.parse() {
        Ok(id) => repositories(&kit.directory).get(organization, id).await?,
        Err(_) => repository_by_name(&kit.directory, organization, name).await?,
    };
    let found = found.ok_or(ApiError::NotFound("repository"))?;
    Ok(Target::Repository { id: found.id.to_string(), full_name: found.full_name })
}

/// Reply to an import.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingImport)]
pub(crate) struct ImportView {
    /// The outcomes.
    data: ResultsView,
}

/// Outcomes of an import.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingImportResults)]
struct ResultsView {
    /// One for each result of the file, in its order.
    results: Vec<ResultView>,
}

/// Outcome of one result of the file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingImportResult)]
struct ResultView {
    /// Place of the result in the file, over all runs, from 0.
    index: usize,
    /// Outcome.
    #[schema(schema_with = crate::schema::outcome)]
    outcome: &'static str,
    /// The finding that it is part of; null when it was rejected.
    #[schema(required, format = Uuid)]
    finding_id: Option<String>,
    /// Reason for the rejection; null otherwise.
    #[schema(required)]
    reason: Option<String>,
}

impl ResultView {
    fn of((index, imported): (usize, Imported)) -> Self {
        match imported {
            Imported::Finding { id, outcome } => {
                Self { index, outcome: outcome.as_str(), finding_id: Some(id.to_string()), reason: None }
            }
            Imported::Rejected(reason) => {
                Self { index, outcome: "rejected", finding_id: None, reason: Some(reason) }
            }
        }
    }
}

/// Import findings
///
/// Results of another tool about a repository or an application, in SARIF 2.1.0: at most 20 MiB and 5,000 results. Results are
/// merged by the fingerprint that the tool gives, else by rule, path and text, so that importing a file again adds nothing. Where
/// the tool writes absolute paths and the file does not state their folder, `root` does. An imported finding sends no
/// `finding.created`, and a result that is missing in a later file resolves nothing. Secrets in texts are masked.
#[utoipa::path(
    post,
    path = "/findings/import",
    operation_id = "import_findings",
    tag = "Findings",
    params(ImportQuery),
    request_body(content(
        (serde_json::Value = "application/json"),
        (serde_json::Value = "application/sarif+json")
    ), description = "A SARIF 2.1.0 log"),
    responses(
        (status = 200, description = "The outcome of each result", body = ImportView),
        (status = 413, description = "The body is larger than 20971520 bytes", body = rest::error::ErrorBody),
        (status = 415, description = "The body is not sent as plain SARIF", body = rest::error::ErrorBody),
        NotFound,
        Refusals
    )
)]
pub(crate) async fn import(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsWrite>,
    StrictQuery(query): StrictQuery<ImportQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let root = query.root()?;
    let target = query.target(&app.kit, organization).await?;
    check_media_type(request.headers())?;
    let turn = app.importer.turn(organization).await?;
    let log = app.importer.read(receive(request, BOUNDS).await?, root).await?;
    let import = Import {
        organization,
        target,
        actor: actor(caller.grant()),
        at: app.kit.clock.now(),
        run: app.kit.directory.new_id(),
    };
    let imported = app.findings.import(&import, log).await?;
    drop(turn);
    measure::imported(&imported);
    let results = imported.into_iter().enumerate().map(ResultView::of).collect();
    reply::json(StatusCode::OK, &ImportView { data: ResultsView { results } })
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if !MEDIA_TYPES.iter().any(|known| essence.eq_ignore_ascii_case(known)) {
        let message = "the body must be sent as Content-Type: application/json or application/sarif+json";
        return Err(ApiError::UnsupportedMediaType(message));
    }
    check_coding(headers)
}
