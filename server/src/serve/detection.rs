//! The rules that decide about findings in this process: the shared rules, read again on SIGHUP, and those that
//! organizations added. An analyzer follows both; a process that only checks additions needs the shared ones.

use std::sync::Arc;

use analyzer::documents::{AgentRules, Documents};
use analyzer::{Catalogue, Follower, SharedRules};
use arc_swap::ArcSwap;
use common::clock::SharedClock;
use common::ids::DetectionRuleId;
use common::incident::Evidence;
use common::timestamp::Timestamp;
use directory::{Asked, Described, DocumentCheck, DocumentRefusal, TrialMatch};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use tokio::sync::{mpsc, watch};

use super::{Opened, rules};
use crate::Failure;
use crate::settings::{Role, RuleSettings, Settings};

/// The rules that decide about findings.
pub(super) struct Detection {
    /// Checks whether documents can be added.
    pub(super) check: Arc<CurrentDocuments>,
    /// The rules in force, in a process that analyses.
    pub(super) in_force: Option<watch::Receiver<Arc<Catalogue>>>,
    /// Requests that the rules be read again.
    pub(super) again: Again,
}

/// Requests that the rules be read again. A request during reading has them read once more.
#[derive(Clone)]
pub(super) struct Again(mpsc::Sender<()>);

/// The shared rules, those in force now, and the basis that additional documents are compiled with.
pub(super) struct CurrentDocuments(ArcSwap<Documents>);

/// Reads the shared rules again on request.
struct SharedRulesReloader {
    settings: RuleSettings,
    clock: SharedClock,
    check: Arc<CurrentDocuments>,
    replaced: mpsc::Sender<SharedRules>,
}

impl Detection {
    /// Reads the rules, and starts the tasks that follow them.
    ///
    /// # Errors
    /// When rules cannot be used, or the directory cannot be read.
    pub(super) async fn start(
        settings: &Settings,
        opened: &Opened,
        tasks: &mut Tasks,
        shutdown: &Shutdown,
    ) -> Result<Self, Failure> {
        let (rules, clock) = (&settings.rules, Arc::clone(&opened.clock));
        let shared_rules = read(rules, &clock)?;
        let check = Arc::new(CurrentDocuments(ArcSwap::new(Arc::clone(&shared_rules.documents))));
        let (asked, asking) = mpsc::channel(1);
        let (replaced, replacing) = mpsc::channel(1);
        let mut in_force = None;
        if settings.has(Role::Analyzer) {
            let directory = Arc::clone(&opened.ledgers.directory);
            let follower = Follower::begin(shared_rules, directory, Arc::clone(&clock)).await?;
            in_force = Some(follower.in_force());
            let shutdown = shutdown.clone();
            tasks.spawn("rules", Tier::Back, async move {
                follower.run(replacing, shutdown.reached(Stage::Flushing)).await;
                Ok(())
            });
        }
        let reader =
            SharedRulesReloader { settings: rules.clone(), clock, check: Arc::clone(&check), replaced };
        let shutdown = shutdown.clone();
        tasks.spawn("rules reader", Tier::Back, async move {
            tokio::select! {
                () = reader.run(asking) => {}
                () = shutdown.reached(Stage::Flushing) => {}
            }
            Ok(())
        });
        Ok(Self { check, in_force, again: Again(asked) })
    }
}

impl Again {
    /// Sends the request.
    pub(super) fn ask(&self) {
        // A full queue means that a request is already pending.
        let _ = self.0.try_send(());
    }
}

impl SharedRulesReloader {
    async fn run(self, mut asking: mpsc::Receiver<()>) {
        while asking.recv().await.is_some() {
            let (settings, clock) = (self.settings.clone(), Arc::clone(&self.clock));
            // Reads files and takes a second of processor time.
            let read = tokio::task::spawn_blocking(move || read(&settings, &clock)).await;
            match read {
                Ok(Ok(shared_rules)) => self.replace(shared_rules).await,
                Ok(Err(error)) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::error!(error, "the earlier rules stay in force");
                }
                Err(error) => {
                    tracing::error!(%error, "reading the rules failed; the earlier rules stay in force")
                }
            }
        }
    }

    async fn replace(&self, shared_rules: SharedRules) {
        self.check.0.store(Arc::clone(&shared_rules.documents));
        // A process that does not analyse has no receiver.
        let _ = self.replaced.send(shared_rules).await;
    }
}

fn read(settings: &RuleSettings, clock: &SharedClock) -> Result<SharedRules, rules::RulesError> {
    let documents = Arc::new(rules::load(settings, clock.as_ref())?);
    Ok(SharedRules { documents, milder_environments: settings.milder_environments.clone() })
}

impl CurrentDocuments {
    /// The rules of the operator for agents.
    pub(super) fn agent_rules(&self) -> AgentRules {
        Arc::clone(self.0.load().agent_rules())
    }
}

impl DocumentCheck for CurrentDocuments {
    fn rule(
        &self,
        asked: Asked<'_>,
        replaced: Option<DetectionRuleId>,
        yaml: &str,
        enabled: bool,
    ) -> Result<Described, DocumentRefusal> {
        self.0.load().rule(asked, replaced, yaml, enabled)
    }

    fn suppression(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        allow_match_without_fields: bool,
    ) -> Result<Described, DocumentRefusal> {
        self.0.load().suppression(asked, yaml, allow_match_without_fields)
    }

    fn trial(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        payloads: &[Vec<u8>],
        now: Timestamp,
    ) -> Result<Vec<Vec<TrialMatch>>, DocumentRefusal> {
        self.0.load().trial(asked, yaml, payloads, now)
    }

    fn covered(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        incidents: &[Vec<Evidence>],
    ) -> Result<Vec<bool>, DocumentRefusal> {
        self.0.load().covered(asked, yaml, incidents)
    }

    fn removal(&self, asked: Asked<'_>, rule: DetectionRuleId) -> Result<(), DocumentRefusal> {
        self.0.load().removal(asked, rule)
    }
}
