//! The rules for agents that an organization has: the built-in ones and its own. Clients get the enabled ones; detections are
//! explained by all of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use agent_rules::{AgentRule, PackError, Response, built_in};
use common::ids::OrganizationId;
use directory::{DetectionRule, Directory, DirectoryError};
use sigma::Document;

use crate::signed_rules::Signatures;

/// Organizations whose rules stay in memory: each has at most 448 KiB of YAML.
const KEPT: usize = 64;

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
    fn new(built_in: &[Arc<AgentRule>], own: &[DetectionRule]) -> Self {
        let mut enabled = built_in.to_vec();
        let mut known: HashMap<String, Arc<AgentRule>> = HashMap::new();
        for rule in own {
            for read in sigma::parse("rule", &rule.yaml) {
                let Ok(Document::Rule(document)) = read else { continue };
                // Others were refused when they were stored, or are for logs.
                let Ok(Some(agent_rule)) = AgentRule::read(&document) else { continue };
                let agent_rule = Arc::new(agent_rule);
                if rule.enabled {
                    enabled.push(Arc::clone(&agent_rule));
                }
                known.insert(agent_rule.id.clone(), agent_rule);
            }
        }
        known.extend(built_in.iter().map(|rule| (rule.id.clone(), Arc::clone(rule))));
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
    kept: Mutex<VecDeque<(OrganizationId, u64, Arc<RuleBook>)>>,
}

impl RuleBooks {
    /// Over the rules of a directory.
    ///
    /// # Errors
    /// [`PackError`] when the built-in rules cannot be used.
    pub(crate) fn new(directory: Arc<Directory>) -> Result<Self, PackError> {
        let built_in = built_in()?.into_iter().map(Arc::new).collect();
        Ok(Self { directory, built_in, kept: Mutex::default() })
    }

    /// The rules of an organization as they are now.
    ///
    /// # Errors
    /// [`DirectoryError`] when they cannot be read.
    pub(crate) async fn of(&self, organization: OrganizationId) -> Result<Arc<RuleBook>, DirectoryError> {
        let (version, _) = self.directory.own_detection_size(organization).await?;
        if let Some(book) = self.kept(organization, version) {
            return Ok(book);
        }
        let own = self.directory.own_detection(organization).await?;
        let book = Arc::new(RuleBook::new(&self.built_in, &own.rules));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _, _)| *of != organization);
        kept.truncate(KEPT - 1);
        kept.push_front((organization, own.version, Arc::clone(&book)));
        Ok(book)
    }

    fn kept(&self, organization: OrganizationId, version: u64) -> Option<Arc<RuleBook>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(of, at, _)| *of == organization && *at == version)?;
        let entry = kept.remove(place)?;
        let book = Arc::clone(&entry.2);
        kept.push_front(entry);
        Some(book)
    }
}
