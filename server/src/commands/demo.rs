//! `palisade demo`: a real server in a temporary directory, realistic traffic over HTTP, and the
//! incidents it makes, printed for a person.

mod child;
mod report;
mod traffic;

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use thiserror::Error;

use self::child::Child;
use self::traffic::Stream;
use super::client::Client;
use super::print;
use crate::Failure;
use crate::cli;

/// Lines in one request of a drain.
const LINES_PER_BATCH: usize = 200;
/// Interval of reading the incidents while they grow.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Number of reads without a change before the report: longer than a flush and a poll.
const QUIET_LOOKS: u32 = 6;
/// Most reads: half a minute.
const MOST_LOOKS: u32 = 120;

/// Reason why the demo did not complete.
#[derive(Debug, Error)]
enum DemoError {
    /// The traffic made no incident.
    #[error("no incident appeared within half a minute")]
    NoIncident,
}

pub(super) fn run(demo: &cli::Demo) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(show(demo.keep))
}

async fn show(keep: bool) -> Result<(), Failure> {
    print("Starting a server in a temporary directory …")?;
    let server = Child::start().await?;
    let client = Client::new(&server.first_run.base_url, &server.first_run.api_key)?;
    for stream in traffic::streams(jiff::Timestamp::now()) {
        let sent = send(&client, &stream).await?;
        print(&format!("Sent {sent:>5} log lines to source {:<10} ({})", stream.source, stream.what))?;
    }
    print("Waiting for the analysis …\n")?;
    let incidents = settled(&client).await?;
    let mut details = Vec::new();
    for incident in &incidents {
        let id = incident["id"].as_str().unwrap_or_default();
        details.push(client.get(&format!("/incidents/{id}")).await?);
    }
    print(&report::tell(&details))?;
    if keep {
        print(&report::where_to_go_on(&server.first_run, &server.first_run_file()))?;
        server.until_interrupted().await?;
    }
    Ok(())
}

/// Creates the stream's source and sends its lines as a log drain would.
async fn send(client: &Client, stream: &Stream) -> Result<usize, Failure> {
    let source = json!({"name": stream.source, "application_group": "demo", "environment": "production"});
    let source = client.post("/infrastructure/sources", &source, 201).await?;
    let path = format!("/infrastructure/sources/{}/v1/logs", source["id"].as_str().unwrap_or_default());
    for lines in stream.lines.chunks(LINES_PER_BATCH) {
        let body = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        client.send(Method::POST, &path, "application/x-ndjson", body, 200).await?;
    }
    Ok(stream.lines.len())
}

/// The incidents once they have stopped growing.
async fn settled(client: &Client) -> Result<Vec<Value>, Failure> {
    let mut last = Value::Null;
    let mut unchanged = 0;
    for _ in 0..MOST_LOOKS {
        tokio::time::sleep(LOOK_EVERY).await;
        let list = client.get("/incidents?limit=100").await?["data"].take();
        unchanged = if list == last { unchanged + 1 } else { 0 };
        last = list;
        let some = last.as_array().is_some_and(|incidents| !incidents.is_empty());
        if some && unchanged >= QUIET_LOOKS {
            break;
        }
    }
    match last {
        Value::Array(incidents) if !incidents.is_empty() => Ok(incidents),
        _ => Err(DemoError::NoIncident.into()),
    }
}
