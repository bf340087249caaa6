//! Import of the results of other tools: SARIF is read on threads of its own, secrets in texts are masked, and the
//! observations of each tool are recorded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use engine::sarif::{self, Log, ResultOutcome, Root, SarifError, ToolObservation};
use engine::{Limits as TextLimits, Location, Observation};
use records::Actor;
use redact::Redactor;
use rest::error::ApiError;
use rest::turns::{self, Turn, Turns};
use threads::{Limits, Threads, ThreadsError};
use uuid::Uuid;

use crate::error::FindingError;
use crate::finding::{FindingKind, FindingSource};
use crate::merge::{Outcome, Run};
use crate::recorder::{Findings, Recorded};
use crate::target::Target;

/// Imports at a time, from the first byte of the body to the last commit: 20 MiB of body each. One of an organization, so that its
/// slow senders do not keep others waiting.
const TURNS: turns::Limits =
    turns::Limits { units: 8, of_organization: 1, patience: Duration::from_secs(10) };
/// Files that are read at a time: the observations of each have at most 80 MiB of text.
const AT_ONCE: usize = 2;
/// Time that a file waits for a thread: one of 20 MiB is read within two seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most files that wait for a thread: as many as there are turns.
const WAITING: usize = 8;

/// Reads SARIF.
pub(crate) struct Importer {
    turns: Turns,
    threads: Threads<()>,
    redactor: Arc<Redactor>,
}

/// The target and the actor of an import.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) organization: OrganizationId,
    pub(crate) target: Target,
    pub(crate) actor: Actor,
    pub(crate) at: Timestamp,
    pub(crate) run: Uuid,
}

/// The outcome of one result of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Imported {
    /// It is part of a finding.
    Finding { id: RecordId, outcome: Outcome },
    /// It is not, for a reason.
    Rejected(String),
}

impl Importer {
    /// Starts the threads.
    pub(crate) fn start(redactor: Arc<Redactor>) -> std::io::Result<Self> {
        let limits = Limits { waiting: WAITING, patience: PATIENCE };
        let threads = Threads::start("finding import", vec![(); AT_ONCE], limits)?;
        Ok(Self { turns: Turns::new(TURNS), threads, redactor })
    }

    /// Waits for the turn of an organization, which is to be held until the import has ended.
    pub(crate) async fn turn(&self, organization: OrganizationId) -> Result<Turn, ApiError> {
        self.turns.begin(organization, 1).await
    }

    /// Reads a file; paths are relative to the root, if one is stated.
    pub(crate) async fn read(&self, body: bytes::Bytes, root: Option<Root>) -> Result<Log, ApiError> {
        let redactor = Arc::clone(&self.redactor);
        let reading = move |(): &mut ()| {
            let mut log = sarif::read(&body, root.as_ref())?;
            log.observations.iter_mut().for_each(|observed| mask(&redactor, &mut observed.observation));
            Ok::<_, SarifError>(log)
        };
        let read = self.threads.run(reading).await.map_err(|error| match error {
            ThreadsError::Full { .. } | ThreadsError::Busy { .. } => ApiError::unavailable(error),
            ThreadsError::Broken => ApiError::internal(error),
        })?;
        read.map_err(|error| ApiError::Invalid(format!("the body: {error}").into()))
    }
}

/// Masks secrets in all texts of an observation, which come from the analysed program or from the tool. A text that was cut
/// loses its last word, which may be a part of a secret.
fn mask(redactor: &Redactor, observation: &mut Observation) {
    let text = |text: &mut String, limit: usize| {
        let whole = match text.strip_suffix('…') {
            Some(cut) => cut.rsplit_once(char::is_whitespace).map_or("", |(before, _)| before),
            None => text.as_str(),
        };
        let ellipsis = if text.ends_with('…') { " …" } else { "" };
        let masked = redactor.redact(whole);
        *text = engine::cut(&format!("{masked}{ellipsis}"), limit);
    };
    let location = |location: &mut Location| {
        text(&mut location.path, TextLimits::NAME);
        text(&mut location.snippet, TextLimits::SNIPPET);
        text(&mut location.message, TextLimits::SNIPPET);
    };
    text(&mut observation.title, TextLimits::TITLE);
    text(&mut observation.description, TextLimits::DESCRIPTION);
    text(&mut observation.remedy, TextLimits::EVIDENCE_TEXT);
    observation.locations.iter_mut().for_each(location);
    observation.trace.iter_mut().for_each(location);
    observation.references.iter_mut().for_each(|reference| text(reference, TextLimits::NAME));
    observation.evidence.iter_mut().for_each(|evidence| text(&mut evidence.text, TextLimits::EVIDENCE_TEXT));
}

impl Findings {
    /// Records the observations of a file; the outcome of each result, in the order of the file.
    pub(crate) async fn import(&self, import: &Import, log: Log) -> Result<Vec<Imported>, FindingError> {
        let Log { observations, results } = log;
        let mut recorded: Vec<Option<Recorded>> = vec![None; observations.len()];
        for (tool, observed) in by_tool(observations) {
            let (places, observations): (Vec<usize>, Vec<Observation>) = observed.into_iter().unzip();
            let outcomes = self.record(&import.run(tool), observations).await?;
            for (place, outcome) in places.into_iter().zip(outcomes) {
                if let Some(slot) = recorded.get_mut(place) {
                    *slot = Some(outcome);
                }
            }
        }
        let imported = |result| match result {
            ResultOutcome::Rejected(rejection) => Imported::Rejected(rejection.to_string()),
            ResultOutcome::Observation(place) => match recorded.get(place).copied().flatten() {
                Some(Recorded { finding, outcome }) => Imported::Finding { id: finding, outcome },
                None => Imported::Rejected("the observation of the result is missing".to_owned()),
            },
        };
        Ok(results.into_iter().map(imported).collect())
    }
}

/// The observations of each tool with their places in the file: a finding is labelled with its tool.
fn by_tool(observations: Vec<ToolObservation>) -> BTreeMap<String, Vec<(usize, Observation)>> {
    let mut by_tool: BTreeMap<String, Vec<(usize, Observation)>> = BTreeMap::new();
    for (place, ToolObservation { tool, observation }) in observations.into_iter().enumerate() {
        by_tool.entry(tool).or_default().push((place, observation));
    }
    by_tool
}

impl Import {
    /// The run of one tool. Identities contain the tool, so that runs of one import have nothing in common.
    fn run(&self, tool: String) -> Run {
        Run {
            id: self.run,
            organization: self.organization,
            target: self.target.clone(),
            kind: FindingKind::Imported,
            source: FindingSource::Import,
            report: None,
            label: tool,
            actor: self.actor.clone(),
            at: self.at,
            announced: false,
        }
    }
}
