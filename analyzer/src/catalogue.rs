//! The rules in force: those of everybody, compiled once, and beside them those of organizations that added rules
//! or suppressions. Where the documents come from is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::ids::OrganizationId;
use sigma::{Layer, RuleSet};

use crate::identity::{digest, hex};
use crate::plan::Plan;

/// The rules in force at one moment. Never changes: a later one takes its place, and every partition adopts
/// it at a commit.
#[derive(Clone, Debug)]
pub struct Catalogue {
    version: String,
    everybodys: Arc<Plan>,
    own: BTreeMap<OrganizationId, Arc<Plan>>,
    milder_environments: BTreeSet<String>,
}

/// Whose rules differ between two catalogues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Affected {
    /// Anybody's may.
    Everybody,
    /// These organizations'.
    Organizations(Vec<OrganizationId>),
}

impl Catalogue {
    /// The rules everybody has; none of anybody's own. Severities of incidents in `milder_environments` are
    /// lowered by one step (incident model, Severity).
    #[must_use]
    pub fn new(rules: Arc<RuleSet>, milder_environments: BTreeSet<String>) -> Self {
        Self {
            version: String::new(),
            everybodys: Arc::new(Plan::new(rules)),
            own: BTreeMap::new(),
            milder_environments,
        }
        .versioned()
    }

    /// The same with the rules of organizations replaced: of each by what was compiled for it beside everybody's
    /// rules of this catalogue, or by everybody's alone.
    #[must_use]
    pub fn with_own(
        mut self,
        changes: impl IntoIterator<Item = (OrganizationId, Option<Arc<Layer>>)>,
    ) -> Self {
        for (organization, layer) in changes {
            match layer {
                Some(layer) => self.own.insert(organization, Arc::new(Plan::beside(&self.everybodys, layer))),
                None => self.own.remove(&organization),
            };
        }
        self.versioned()
    }

    /// A hash of everything that decides what is found and how severe it is, in hexadecimal.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Everybody's rules.
    #[must_use]
    pub fn everybodys(&self) -> &Arc<RuleSet> {
        self.everybodys.rules()
    }

    /// How many organizations have rules or suppressions of their own.
    #[must_use]
    pub fn organizations(&self) -> usize {
        self.own.len()
    }

    /// The plan of an organization.
    pub(crate) fn plan(&self, organization: OrganizationId) -> &Arc<Plan> {
        self.own.get(&organization).unwrap_or(&self.everybodys)
    }

    /// Whether incidents of an environment are one step milder.
    pub(crate) fn is_milder(&self, environment: &str) -> bool {
        self.milder_environments.contains(environment)
    }

    /// Whose rules a later catalogue changes.
    pub(crate) fn affected_by(&self, later: &Self) -> Affected {
        if self.everybodys.version() != later.everybodys.version() {
            return Affected::Everybody;
        }
        let organizations: BTreeSet<_> = self.own.keys().chain(later.own.keys()).copied().collect();
        let differs = |organization: &OrganizationId| {
            self.plan(*organization).version() != later.plan(*organization).version()
        };
        Affected::Organizations(organizations.into_iter().filter(differs).collect())
    }

    fn versioned(mut self) -> Self {
        let mut parts = vec![self.everybodys.version().as_bytes()];
        for (organization, plan) in &self.own {
            parts.extend([organization.as_bytes().as_slice(), plan.version().as_bytes()]);
        }
        parts.push(b"milder");
        parts.extend(self.milder_environments.iter().map(String::as_bytes));
        self.version = hex(&digest(&parts));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::aliases::CanonicalFields;

    const RULE: &str =
        "title: One\nlogsource: {product: linux}\ndetection: {a: {message: x}, condition: a}\n";

    const OTHER: &str =
        "title: Other\nlogsource: {product: linux}\ndetection: {a: {message: y}, condition: a}\n";

    fn rules(yaml: &str) -> Arc<RuleSet> {
        let documents = sigma::parse("test.yml", yaml).into_iter().map(Result::unwrap).collect();
        Arc::new(RuleSet::compile(documents, &CanonicalFields).0)
    }

    fn beside(catalogue: &Catalogue, yaml: &str) -> Arc<Layer> {
        let documents = sigma::parse("own.yml", yaml).into_iter().map(Result::unwrap).collect();
        let shared = Arc::clone(catalogue.everybodys());
        Arc::new(
            crate::pack::compile_beside(
                shared,
                documents,
                &sigma::Placeholders::default(),
                sigma::Limits::none(),
            )
            .0,
        )
    }

    #[test]
    fn the_version_follows_everything_that_decides() {
        let [one, other] = [1, 2].map(|number| OrganizationId::from_bytes([number; 16]));
        let first = Catalogue::new(rules(RULE), BTreeSet::new());
        let second = first.clone().with_own([(one, Some(beside(&first, OTHER)))]);
        assert_ne!(first.version(), second.version());
        assert_eq!(first.affected_by(&second), Affected::Organizations(vec![one]));
        assert_eq!(second.clone().with_own([(one, None)]).version(), first.version());
        let same = second.clone().with_own([(other, Some(beside(&first, "")))]);
        assert_eq!(second.affected_by(&same), Affected::Organizations(vec![]), "nothing but a name");
        let milder = Catalogue::new(rules(RULE), BTreeSet::from(["staging".to_owned()]));
        assert_ne!(first.version(), milder.version());
        assert!(milder.is_milder("staging") && !milder.is_milder("production"));
        assert_eq!(first.affected_by(&Catalogue::new(rules(""), BTreeSet::new())), Affected::Everybody);
    }
}
