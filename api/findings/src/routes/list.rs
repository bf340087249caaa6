//! `GET /findings`: a page of findings.

use axum::extract;
use axum::response::Response;
use code_host::repository_by_name;
use common::ids::{OrganizationId, RecordId};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::StatusCode;
use index::Part;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::Refusals;
use rest::page::{MAX_LIMIT, Page};
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::scope::FindingsRead;

use crate::filter::{self as lists, Filter, Sort};
use crate::finding::Finding;
use crate::review::MAX_ASSIGNEE;
use crate::views::summary::FindingSummary;
use crate::{App, Shared};

/// Longest `q`, in characters, as for incidents.
const MAX_SEARCH: usize = 1000;
/// Longest `repository`, in characters: owner and name of the code host have 39 and 100.
const MAX_REPOSITORY: usize = 200;
/// Rows that are read at a time for a page.
const READS_AT_ONCE: usize = 16;
/// Greatest CWE number that a filter takes; the list of weaknesses has fewer than 2,000.
const MAX_CWE: u32 = 99_999;

impl FromQuery for Filter {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            kind: parameters.word("kind")?,
            triage_status: parameters.word("triage_status")?,
            state: parameters.word("state")?,
            severity: parameters.word("severity")?,
            risk_level: parameters.word("risk_level")?,
            triage_resolution: parameters.word("triage_resolution")?,
            source: parameters.word("source")?,
            report_id: parameters.id("report_id")?,
            application_id: parameters.id("application_id")?,
            agent_id: parameters.id("agent_id")?,
            repository: parameters.text("repository", 1..=MAX_REPOSITORY)?,
            repository_id: None,
            cwe: cwe(parameters)?,
            assignee: parameters.text("assignee", 1..=MAX_ASSIGNEE)?,
            from: parameters.time("from")?,
            to: parameters.time("to")?,
            q: parameters.text("q", 0..=MAX_SEARCH)?.filter(|text| !text.is_empty()),
        })
    }
}

fn cwe(parameters: &mut Parameters) -> Result<Option<u32>, QueryError> {
    let Some(text) = parameters.take("cwe") else { return Ok(None) };
    let digits = match text.split_at_checked(4) {
        Some((prefix, digits)) if prefix.eq_ignore_ascii_case("cwe-") => digits,
        _ => text.as_str(),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<u32>() {
        Ok(number) if is_number && number <= MAX_CWE => Ok(Some(number)),
        _ => Err(QueryError::Value {
            name: "cwe",
            expected: "a CWE identifier such as CWE-79".to_owned(),
            found: text.chars().take(64).collect(),
        }),
    }
}

/// Adds the id of the repository that has the name of the filter now.
pub(super) async fn resolve(
    app: &App,
    organization: OrganizationId,
    filter: &mut Filter,
) -> Result<(), ApiError> {
    if let Some(name) = filter.repository.as_deref().filter(|name| name.contains('/')) {
        let found = repository_by_name(&app.kit.directory, organization, name).await?;
        filter.repository_id = found.map(|repository| repository.id.to_string());
    }
    Ok(())
}

/// Order and part of a list of findings. The offset has no other bound than that of the type (specification, Limits).
#[derive(Clone, Copy, Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartQuery {
    /// `newest`: newest first; `severity`: most severe first; `board`: by triage status, then board position.
    #[param(schema_with = crate::schema::sort)]
    sort: Option<Sort>,
    /// Maximum number of findings.
    #[param(required = false, minimum = 1, maximum = 100, default = 25)]
    limit: u32,
    /// Number of findings to skip.
    #[param(required = false, minimum = 0, maximum = 2_147_483_647, default = 0)]
    offset: u32,
}

impl FromQuery for PartQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            sort: parameters.word("sort")?,
            limit: parameters.number("limit", 1..=MAX_LIMIT, rest::page::DEFAULT_LIMIT)?,
            offset: parameters.number("offset", 0..=i32::MAX.unsigned_abs(), 0)?,
        })
    }
}

/// List findings
///
/// Newest first, then id descending, unless `sort` says otherwise. Changes made through this process are visible at once, those
/// made through other processes after at most one poll (200 ms by default).
#[utoipa::path(
    get,
    path = "/findings",
    operation_id = "list_findings",
    tag = "Findings",
    params(Filter, PartQuery),
    responses((status = 200, description = "A page of finding summaries", body = Page<FindingSummary>), Refusals)
)]
pub(crate) async fn list(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsRead>,
    StrictQuery((mut filter, part)): StrictQuery<(Filter, PartQuery)>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    resolve(&app, organization, &mut filter).await?;
    let opened = app.index.open(organization).await?;
    let (ids, total, truncated) = {
        let index = opened.read();
        let cut = Part { offset: part.offset as usize, limit: part.limit as usize };
        let (ids, total) = lists::list(&index, &filter, part.sort.unwrap_or_default(), cut);
        (ids, total, index.is_truncated())
    };
    let records = &app.kit.records;
    let read = |id: std::sync::Arc<RecordId>| async move { records.get::<Finding>(organization, *id).await };
    let findings: Vec<Option<Finding>> =
        stream::iter(ids).map(read).buffered(READS_AT_ONCE).try_collect().await?;
    // One that was deleted a moment ago is left out of the page.
    let summaries = findings.into_iter().flatten().map(FindingSummary::from).collect();
    let page = rest::page::PageQuery { limit: part.limit, offset: part.offset };
    let mut reply = Page::new(page, summaries, total as u64);
    reply.pagination.index_truncated = truncated;
    reply::json(StatusCode::OK, &reply)
}
