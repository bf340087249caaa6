//! The rules for agents that an organization has: the built-in ones, those of the operator, and its own. Clients get the enabled
//! ones; detections are explained by all of them.

use std::collections::{HashMap, VecDeque, hash_map};
use std::sync::{Arc, Mutex, PoisonError};

use agent_rules::{AgentRule, PackError, Response, built_in};
use common::ids::OrganizationId;
use directory::{DetectionRule, Directory, DirectoryError};
use sigma::Document;

use crate::signed_rules::Signatures;

/// Organizations whose rules stay in memory: each has at most 384 KiB of YAML.
const KEPT: usize = 64;

/// Returns the rules of the operator as they are now.
pub type OperatorRules = Arc<dyn Fn() -> Arc<Vec<Arc<AgentRule>>> + Send + Sync>;

/// Rules of one organization at one version.
pub(crate) struct RuleBook {
    /// The enabled rules, by id.
    pub(crate) enabled: Vec<Arc<AgentRule>>,
    /// All rules, the disabled ones included.
    known: HashMap<String, Arc<AgentRule>>,
    /// Signatures that were made so far.
    pub(crate) signatures: Signatures,
}

impl RuleBook {
    /// A rule of the operator replaces the built-in one of its id; an organization cannot add a rule of an id that is taken.
    fn new(built_in: &[Arc<AgentRule>], operator: &[Arc<AgentRule>], own: &[DetectionRule]) -> Self {
        let shared = built_in.iter().chain(operator);
        let mut known: HashMap<String, Arc<AgentRule>> =
            shared.map(|rule| (rule.id.clone(), Arc::clone(rule))).collect();
        let mut enabled: Vec<Arc<AgentRule>> = known.values().cloned().collect();
        for rule in own {
            for read in sigma::parse("rule", &rule.yaml) {
                let Ok(Document::Rule(document)) = read else { continue };
                // Others were refused when they were stored, or are for logs.
                let Ok(Some(agent_rule)) = AgentRule::read(&document) else { continue };
                let hash_map::Entry::Vacant(entry) = known.entry(agent_rule.id.clone()) else { continue };
                let agent_rule = entry.insert(Arc::new(agent_rule));
                if rule.enabled {
                    enabled.push(Arc::clone(agent_rule));
                }
            }
        }
        enabled.sort_by(|one, other| one.id.cmp(&other.id));
        Self { enabled, known, signatures: Signatures::default() }
    }

    /// The rule that stands for an action: one that blocks before others if the action was blocked, then the most severe one,
    /// then the first. `None` when none of the ids is known.
    pub(crate) fn decisive<'i>(
        &self,
        ids: impl Iterator<Item = &'i str>,
        is_blocked: bool,
    ) -> Option<&Arc<AgentRule>> {
        let mut decisive: Option<&Arc<AgentRule>> = None;
        for rule in ids.filter_map(|id| self.known.get(id)) {
            let weight = |rule: &AgentRule| (is_blocked && rule.response == Response::Block, rule.level);
            if decisive.is_none_or(|first| weight(rule) > weight(first)) {
                decisive = Some(rule);
            }
        }
        decisive
    }
}

/// Rules of all organizations; those that were used last stay in memory.
pub(crate) struct RuleBooks {
    directory: Arc<Directory>,
    built_in: Vec<Arc<AgentRule>>,
    operator: OperatorRules,
    kept: Mutex<VecDeque<Kept>>,
}

/// Rules of an organization, and the state that they are of.
struct Kept {
    organization: OrganizationId,
    version: u64,
    operator: Arc<Vec<Arc<AgentRule>>>,
    book: Arc<RuleBook>,
}

impl RuleBooks {
    /// Over the rules of a directory and those of the operator.
    ///
    /// # Errors
    /// [`PackError`] when the built-in rules cannot be used.
    pub(crate) fn new(directory: Arc<Directory>, operator: OperatorRules) -> Result<Self, PackError> {
        let built_in = built_in()?.into_iter().map(Arc::new).collect();
        Ok(Self { directory, built_in, operator, kept: Mutex::default() })
    }

    /// The rules of an organization as they are now.
    ///
    /// # Errors
    /// [`DirectoryError`] when they cannot be read.
    pub(crate) async fn of(&self, organization: OrganizationId) -> Result<Arc<RuleBook>, DirectoryError> {
        let (version, _) = self.directory.own_detection_size(organization).await?;
        let operator = (self.operator)();
        let is_current = |kept: &Kept| {
            kept.organization == organization
                && kept.version == version
                && Arc::ptr_eq(&kept.operator, &operator)
        };
        if let Some(book) = self.kept(is_current) {
            return Ok(book);
        }
        let own = self.directory.own_detection(organization).await?;
        let book = Arc::new(RuleBook::new(&self.built_in, &operator, &own.rules));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.organization != organization);
        kept.truncate(KEPT - 1);
        kept.push_front(Kept { organization, version: own.version, operator, book: Arc::clone(&book) });
        Ok(book)
    }

    fn kept(&self, is_current: impl Fn(&Kept) -> bool) -> Option<Arc<RuleBook>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(is_current)?;
        let entry = kept.remove(place)?;
        let book = Arc::clone(&entry.book);
        kept.push_front(entry);
        Some(book)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use agent_rules::is_for_agents;
    use common::clock::ManualClock;
    use common::pepper::Pepper;
    use common::timestamp::Timestamp;
    use ledger::memory::MemoryLedger;

    use super::*;

    fn rule(id: &str, title: &str) -> Arc<AgentRule> {
        let yaml = format!(
            "title: {title}\nid: {id}\nlogsource: {{product: ai_agent, category: prompt}}\ndetection: {{a: {{Prompt: b}}, condition: a}}\n"
        );
        let documents = sigma::parse("rule", &yaml);
        let [Ok(Document::Rule(document))] = documents.as_slice() else { panic!("{yaml}") };
        assert!(is_for_agents(&document.log_source));
        Arc::new(AgentRule::read(document).unwrap().unwrap())
    }

    #[tokio::test]
    async fn rules_of_the_operator_are_added_replace_built_in_ones_and_are_read_again() {
        let built_in = built_in().unwrap();
        let taken = built_in[0].id.clone();
        let operator = Arc::new(vec![rule(&taken, "Replaced"), rule("operator-1", "Added")]);
        let (none, is_there) = (Arc::new(Vec::new()), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&is_there);
        let current: OperatorRules =
            Arc::new(move || Arc::clone(if flag.load(Ordering::Relaxed) { &operator } else { &none }));
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let directory = Directory::new(Arc::new(MemoryLedger::new()), clock, Pepper::new([1; 32]));
        let books = RuleBooks::new(Arc::new(directory), current).unwrap();
        let organization = OrganizationId::from_bytes([1; 16]);
        let before = books.of(organization).await.unwrap();
        assert_eq!(before.enabled.len(), built_in.len());
        assert!(Arc::ptr_eq(&before, &books.of(organization).await.unwrap()), "it stays in memory");
        is_there.store(true, Ordering::Relaxed);
        let after = books.of(organization).await.unwrap();
        assert_eq!(after.enabled.len(), built_in.len() + 1);
        assert!(after.enabled.is_sorted_by_key(|rule| &rule.id));
        let titles: Vec<&str> = [taken.as_str(), "operator-1"]
            .map(|id| after.decisive([id].into_iter(), false).unwrap().title.as_str())
            .to_vec();
        assert_eq!(titles, ["Replaced", "Added"]);
        assert!(before.decisive(["operator-1"].into_iter(), false).is_none());
    }
}
