//! `POST /context/file`.

use std::time::Duration;

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

use super::{ANALYSIS, stored};
use crate::Shared;
use crate::content::PASSAGE;
use crate::file::{self, fetch, subject, unreachable};
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::view::ArtifactView;

/// Longest URL in characters (specification, POST /context/file).
const LONGEST_URL: usize = 2_048;
/// Copies of a file that are in memory at once: its bytes, and its text, which has three bytes for one of an old character set. While the
/// text is cut into passages it is there twice, in place of the bytes and of the analysis, which begins later.
const COPIES: usize = 4;
/// Memory of a scan in KiB: the copies of the file, and the analysis of a part of its text.
const MEMORY: u32 = ((COPIES * file::MOST_FILE_BYTES + ANALYSIS * PASSAGE) / 1024) as u32;
/// A failed download is answered from memory this long only: the next one may succeed.
const FAILED: Duration = Duration::from_secs(5 * 60);

/// Request body of a scan of a file.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextFile, example = json!({"url": "https://example.com/report.pdf"}))]
pub(crate) struct FileBody {
    /// URL of a file of at most 25 MiB. Not stored.
    #[schema(format = "uri", min_length = 1, max_length = 2048)]
    url: String,
}

/// Scan a file
///
/// Downloads a text, page, mail, PDF, Office document or an archive of these and scores it: its host, its type, programs, macros and
/// scripts, hidden text, orders to the agent that reads it, pretexts, links. Neither the file nor its URL are stored; the result is kept
/// for 30 days under the SHA-256 of the bytes, without excerpts. A file that cannot be downloaded or read is `dangerous`. Every request
/// downloads again.
#[utoipa::path(
    post,
    path = "/context/file",
    operation_id = "scan_file",
    tag = "Context",
    params(ContextQuery),
    request_body = FileBody,
    responses((status = 200, description = "The result", body = ArtifactView), BodyRefusals, Refusals)
)]
pub(crate) async fn scan(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    body: StrictJson<FileBody>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let url = body.value.url;
    let characters = url.chars().count();
    if !(1..=LONGEST_URL).contains(&characters) {
        let message = format!("url: expected 1 to {LONGEST_URL} characters, found {characters}");
        return Err(ApiError::Invalid(message.into()));
    }
    let invalid = |error| ApiError::Invalid(format!("url: {error}").into());
    let destination = app.outbound.destination(&url).map_err(invalid)?;
    let turn = app.turns.begin(organization, MEMORY).await?;
    let now = app.kit.clock.now();
    // Waits for other look-ups of the organization: a refusal would make a file `dangerous`.
    let artifact = match fetch(&app.outbound, Requester::background(organization), &destination).await {
        Ok(mut download) => {
            let subject = subject(&download.bytes);
            let content = file::read(&app.sandbox, &mut download).await;
            let assessment = app.scan(move |engine| engine.file(&download, content)).await?;
            Artifact::new(subject, organization, now, &assessment)
        }
        Err(reason) => {
            Artifact::new(subject(url.as_bytes()), organization, now, &unreachable(&reason)).kept_for(FAILED)
        }
    };
    drop(turn);
    stored(&app, artifact, query).await
}

#[cfg(test)]
mod tests {
    use common::ids::OrganizationId;
    use rest::turns::Turns;

    use super::*;
    use crate::TURNS;

    #[tokio::test(start_paused = true)]
    async fn scans_of_files_at_a_time_stay_within_the_memory_of_all_scans() {
        let turns = Turns::new(TURNS);
        let mut begun = Vec::new();
        for number in 0..u8::MAX {
            match turns.begin(OrganizationId::from_bytes([number; 16]), MEMORY).await {
                Ok(turn) => begun.push(turn),
                Err(_) => break,
            }
        }
        // The largest text of an old character set, cut into passages: three bytes for one, twice.
        let largest = 2 * 3 * file::MOST_FILE_BYTES;
        assert!(!begun.is_empty() && begun.len() * largest <= TURNS.units as usize * 1024, "{}", begun.len());
    }
}
