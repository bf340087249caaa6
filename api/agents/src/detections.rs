//! Recording the actions that a client reports: each once, in one commit with its finding, its alert and its event.

use std::collections::{BTreeMap, btree_map};
use std::sync::Arc;
use std::time::Duration;

use agent_rules::AgentRule;
use common::clock::SharedClock;
use common::event::Event;
use common::timestamp::Timestamp;
use engine::{Evidence, Observation};
use findings::{Contribution, FindingError, Findings, MAX_EVIDENCE, Prior, Run};
use ledger::Seq;
use records::{Draft, Home, RecordError, Records};
use rest::error::ApiError;
use thiserror::Error;
use uuid::Uuid;

use crate::action::Action;
use crate::alerts::{Alert, AlertRule, Alerts};
use crate::clients::{Client, Clients, PROGRESS, client_key};
use crate::observed::{observation, run};
use crate::progress::{Progress, seconds_to_next_hour};
use crate::rule_book::RuleBook;

/// Most actions of one commit: their alerts, events and findings are seven rows each at most, of the thousand that a commit may
/// have.
const CHUNK: usize = 100;
/// Bytes of an action's alert, event and evidence without their texts.
const ACTION_BYTES: usize = 3 * 1024;
/// Times that a text of an action is in these rows, escaped.
const TEXT_COPIES: usize = 4;
/// Bytes of one commit, which may have 1 MiB, before its last action. The rest is for that action, whose texts have up to 16 KiB and
/// whose finding has up to 150 KiB of evidence, and for the rows of the client.
const COMMIT_BYTES: usize = 720 * 1024;
/// Earliest time of an action: a client that was offline for longer has lost its spool.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Outcome of a checked action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was recorded now.
    Accepted,
    /// It was recorded before.
    Duplicate,
    /// None of its rules exists.
    UnknownRules,
}

/// Reason why actions were not recorded. Those of earlier commits are.
#[derive(Debug, Error)]
pub(crate) enum DetectionError {
    /// The client was revoked.
    #[error("the client was revoked")]
    Revoked,
    /// The client has reported as many actions as it may within the hour.
    #[error("the client has reported as many actions as it may within the hour")]
    TooMany {
        /// Seconds until the next hour.
        retry_seconds: u64,
    },
    /// A finding cannot be read or written.
    #[error(transparent)]
    Finding(#[from] FindingError),
    /// A row cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<DetectionError> for ApiError {
    fn from(error: DetectionError) -> Self {
        match error {
            DetectionError::Revoked => crate::monitored::refused(),
            DetectionError::TooMany { retry_seconds } => {
                let message = "a client may report 2,000 new actions in an hour (UTC)";
                Self::RateLimited { message, retry_seconds }
            }
            DetectionError::Finding(error) => error.into(),
            DetectionError::Record(error) => error.into(),
        }
    }
}

/// Records actions of the clients of all organizations.
pub(crate) struct Detections {
    pub(crate) records: Arc<Records>,
    pub(crate) findings: Arc<Findings>,
    pub(crate) clients: Arc<Clients>,
    pub(crate) alerts: Arc<Alerts>,
    pub(crate) clock: SharedClock,
    /// Address of the console, without the path.
    pub(crate) site_url: String,
}

/// Actions of one rule and target within a commit, which are one finding.
struct Group<'a> {
    rule: &'a Arc<AgentRule>,
    prior: Prior,
    observation: Observation,
    times: u64,
    events: Vec<Event>,
}

/// A commit, as it is decided.
struct Plan<'a> {
    client: Client,
    progress: Progress,
    groups: BTreeMap<(&'a str, &'a str), Group<'a>>,
    alerts: Vec<Alert>,
    outcomes: Vec<Outcome>,
    bytes: usize,
}

impl Detections {
    /// Records actions of a client, which are sorted by sequence number. One outcome for each.
    pub(crate) async fn record(
        &self,
        client: &Client,
        book: &RuleBook,
        actions: &[Action],
        new_id: impl Fn() -> Uuid,
    ) -> Result<Vec<Outcome>, DetectionError> {
        let mut outcomes = Vec::with_capacity(actions.len());
        while let Some(rest) = actions.get(outcomes.len()..).filter(|rest| !rest.is_empty()) {
            let run = run(client, new_id(), self.clock.now());
            outcomes.extend(self.record_some(client, book, rest.get(..CHUNK).unwrap_or(rest), &run).await?);
        }
        Ok(outcomes)
    }

    /// Records the first actions, as many as fit into a commit.
    async fn record_some(
        &self,
        client: &Client,
        book: &RuleBook,
        actions: &[Action],
        run: &Run,
    ) -> Result<Vec<Outcome>, DetectionError> {
        let mut attempts = self.records.attempts(Home::Records, client.id.shard());
        let mut merging = self.findings.merging();
        while let Some(mut draft) = attempts.next().await? {
            let mut plan = self.begin(client, run).await?;
            self.fill(&mut plan, book, actions, run).await?;
            let Plan { client, progress, groups, alerts, outcomes, .. } = plan;
            if !outcomes.contains(&Outcome::Accepted) {
                return Ok(outcomes);
            }
            let contributions = groups.into_values().map(Group::contribution).collect();
            merging.add(&mut draft, run, contributions).await?;
            self.alerts.add(&mut draft, &client, &alerts).await?;
            self.put(&mut draft, client, &progress, run.at).await?;
            let seq = Seq(draft.number());
            if attempts.commit(draft).await? {
                merging.committed(seq);
                return Ok(outcomes);
            }
        }
        Err(RecordError::Conflict.into())
    }

    async fn begin<'a>(&self, client: &Client, run: &Run) -> Result<Plan<'a>, DetectionError> {
        let client = self.clients.current(client).await?.ok_or(DetectionError::Revoked)?;
        let place = (Home::Records, client.id.shard());
        let key = client_key(client.organization, client.agent, client.id);
        let mut progress: Progress = self.records.row(place, PROGRESS, &key).await?.unwrap_or_default();
        progress.at(run.at);
        let (groups, alerts, outcomes) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Plan { client, progress, groups, alerts, outcomes, bytes: 0 })
    }

    /// Decides actions as long as the commit has room.
    async fn fill<'a>(
        &self,
        plan: &mut Plan<'a>,
        book: &'a RuleBook,
        actions: &'a [Action],
        run: &Run,
    ) -> Result<(), DetectionError> {
        for action in actions {
            if plan.bytes > COMMIT_BYTES {
                break;
            }
            match self.decide(plan, book, action, run).await {
                Ok(outcome) => plan.outcomes.push(outcome),
                // Those before it are recorded. The next commit, which begins with this one, meets the limit again.
                Err(DetectionError::TooMany { .. }) if plan.outcomes.contains(&Outcome::Accepted) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Decides the effect of one action.
    async fn decide<'a>(
        &self,
        plan: &mut Plan<'a>,
        book: &'a RuleBook,
        action: &'a Action,
        run: &Run,
    ) -> Result<Outcome, DetectionError> {
        if plan.progress.has(action.sequence) {
            return Ok(Outcome::Duplicate);
        }
        let ids = action.rules.iter().map(|rule| rule.id.as_str());
        let Some(rule) = book.decisive(ids, action.is_blocked()) else { return Ok(Outcome::UnknownRules) };
        if !plan.progress.report(action.sequence) {
            return Err(DetectionError::TooMany { retry_seconds: seconds_to_next_hour(run.at) });
        }
        let texts = action.text_bytes() + plan.client.name.len() + rule.title.len() + rule.id.len();
        plan.bytes += ACTION_BYTES + TEXT_COPIES * texts;
        let group = match plan.groups.entry((&rule.id, &action.target_class)) {
            btree_map::Entry::Occupied(entry) => entry.into_mut(),
            btree_map::Entry::Vacant(entry) => {
                let observation = observation(rule, &action.target_class);
                let prior = self.findings.prior(run, &observation).await?;
                plan.bytes += prior.bytes();
                entry.insert(Group { rule, prior, observation, times: 0, events: Vec::new() })
            }
        };
        group.times += 1;
        let observed_at = action.observed_at.clamp(run.at.minus(OLDEST), run.at);
        group.add_evidence(&plan.client, action, observed_at);
        let is_silenced = !action.is_blocked() && group.prior.is_resolved(run);
        if !is_silenced && plan.progress.announce(&rule.id) {
            let finding = group.prior.finding(run, &self.findings);
            let mut alert = Alert::new(&plan.client, action, group.rule_of(action), finding, run.at);
            alert.observed_at = observed_at;
            group.events.push(alert.event(&plan.client, &self.site_url));
            plan.alerts.push(alert);
        }
        Ok(Outcome::Accepted)
    }

    async fn put(
        &self,
        draft: &mut Draft,
        client: Client,
        progress: &Progress,
        now: Timestamp,
    ) -> Result<(), RecordError> {
        draft.put_row(PROGRESS, &client_key(client.organization, client.agent, client.id), progress)?;
        self.clients.saw(draft, client, now, None).await
    }
}

impl Group<'_> {
    fn contribution(self) -> Contribution {
        let Self { prior, observation, times, events, .. } = self;
        Contribution { prior, observation, times, events }
    }

    fn rule_of(&self, action: &Action) -> AlertRule {
        let reported = action.rules.iter().find(|reported| reported.id == self.rule.id);
        AlertRule {
            id: self.rule.id.clone(),
            version: reported.map(|rule| rule.version.clone()).unwrap_or_default(),
            title: self.observation.title.clone(),
            severity: self.observation.risk,
        }
    }

    fn add_evidence(&mut self, client: &Client, action: &Action, observed_at: Timestamp) {
        if self.observation.evidence.len() >= MAX_EVIDENCE {
            self.observation.evidence.remove(0);
        }
        let Action { program, tool, decision, excerpt, .. } = action;
        let label = format!("{} {} on {}", observed_at.to_iso(), decision.as_str(), client.name);
        let text = match excerpt {
            Some(excerpt) => format!("{program}, {tool}: {excerpt}"),
            None => format!("{program}, {tool}"),
        };
        self.observation.evidence.push(Evidence { label, text });
    }
}
