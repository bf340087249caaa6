//! The rules in force: the shared ones, compiled once, and beside them those of organizations that added rules or suppressions.
//! The origin of the documents is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use sigma::{Layer, RuleSet};

use crate::failing::{Cause, Failing};
use crate::residence::{LoadError, Loader, MOST_LOADED_BYTES, Residence, Resident};
use incidents::identity::{digest, hex};
use incidents::plan::Plan;

/// The rules in force at one moment. Never changes: a later one takes its place, and every partition adopts
/// it at a commit.
#[derive(Clone, Debug)]
pub struct Catalogue {
    version: String,
    shared_rules: Arc<Plan>,
    own: BTreeMap<OrganizationId, Own>,
    milder_environments: BTreeSet<String>,
    residence: Arc<Residence>,
    /// Compiles rules again that were unloaded; without one none are.
    loader: Option<Arc<dyn Loader>>,
}

/// The rules of an organization, compiled beside the shared rules of a catalogue.
#[derive(Clone, Debug)]
pub struct OwnRules {
    /// Compiled.
    pub layer: Layer,
    /// The moment at which its suppressions were in force.
    pub at: Timestamp,
}

/// Known properties of rules while they may be unloaded.
#[derive(Clone, Debug)]
struct Own {
    plan: Arc<Plan>,
    /// Their compiled form, which may be unloaded; none while they are unknown.
    resident: Option<Arc<Resident>>,
    at: Timestamp,
    standing: Standing,
}

/// Whether the rules of an organization are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// They are.
    Applied,
    /// They were unloaded and cannot be loaded: records are matched against the shared rules alone.
    Withheld,
    /// There are some, and they were never compiled beside the shared rules of this catalogue: the shared rules alone are applied.
    Unknown,
}

impl Standing {
    /// The word for it in the version.
    fn as_bytes(self) -> &'static [u8] {
        match self {
            Self::Applied => b"",
            Self::Withheld => b"withheld",
            Self::Unknown => b"unknown",
        }
    }
}

/// Organizations whose rules differ between two catalogues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Affected {
    /// All organizations' may.
    All,
    /// These organizations'.
    Organizations(Vec<OrganizationId>),
}

impl Catalogue {
    /// The shared rules; none of anybody's own. Severities of incidents in `milder_environments` are
    /// lowered by one step (incident model, Severity).
    #[must_use]
    pub fn new(rules: Arc<RuleSet>, milder_environments: BTreeSet<String>) -> Self {
        Self {
            version: String::new(),
            shared_rules: Arc::new(Plan::new(rules)),
            own: BTreeMap::new(),
            milder_environments,
            residence: Residence::new(MOST_LOADED_BYTES),
            loader: None,
        }
        .versioned()
    }

    /// The same, unloading rules of organizations that are not used, or that are more than `most_bytes` together by
    /// estimate; `loader` compiles them again. Rules that are in it already stay loaded.
    #[must_use]
    pub fn unloading(self, loader: Arc<dyn Loader>, most_bytes: usize) -> Self {
        Self { loader: Some(loader), residence: Residence::new(most_bytes), ..self }
    }

    /// The same with the rules of organizations replaced: of each by those compiled for it beside the shared rules of this
    /// catalogue, or by the shared rules alone.
    #[must_use]
    pub fn with_own(mut self, changes: impl IntoIterator<Item = (OrganizationId, Option<OwnRules>)>) -> Self {
        for (organization, rules) in changes {
            match rules {
                Some(rules) => {
                    let own = self.own_of(rules);
                    self.own.insert(organization, own)
                }
                None => self.own.remove(&organization),
            };
        }
        self.versioned()
    }

    /// The same without the rules of an organization, which cannot be loaded.
    ///
    /// It has another version, which partitions record with their position before they continue with it: so the ledger shows
    /// the rules that every record met, and a process that ends in between continues from the recorded position with the rules
    /// it can load, recording those. A folded record is never folded again. The plan is the same, so that nothing is withdrawn
    /// from incidents because rules cannot be loaded.
    pub(crate) fn withholding(&self, organization: OrganizationId, cause: Option<Cause>) -> Self {
        if let Some(cause) = cause {
            self.failing().begin(organization, cause);
        }
        let mut later = self.clone();
        if let Some(own) = later.own.get_mut(&organization).filter(|own| own.standing == Standing::Applied) {
            own.plan = Arc::new(own.plan.withheld());
            own.standing = Standing::Withheld;
        }
        later.versioned()
    }

    /// The same without rules that cannot be loaded now and are not in memory.
    pub(crate) fn as_loadable(self: &Arc<Self>) -> Arc<Self> {
        let is_unloaded = |organization: &OrganizationId| {
            self.resident(*organization).is_some_and(|resident| resident.loaded().is_none())
        };
        let failing = self.failing().causes().into_keys().filter(is_unloaded);
        failing.fold(Arc::clone(self), |loadable, of| Arc::new(loadable.withholding(of, None)))
    }

    /// The same, with an organization's rules unknown unless they were compiled before: then those stay.
    pub(crate) fn with_unknown(mut self, organization: OrganizationId) -> Self {
        let plan = Arc::clone(&self.shared_rules);
        let unknown = Own { plan, resident: None, at: Timestamp::default(), standing: Standing::Unknown };
        self.own.entry(organization).or_insert(unknown);
        self.versioned()
    }

    /// Organizations whose rules cannot be loaded, in this process.
    pub(crate) fn failing(&self) -> &Failing {
        self.residence.failing()
    }

    /// Whether an organization's own rules are applied, if it has any. Where they are not, incidents lose no contributions:
    /// withdrawn rules and the effect of filters are not known.
    pub(crate) fn is_applied(&self, organization: OrganizationId) -> bool {
        self.own.get(&organization).is_none_or(|own| own.standing == Standing::Applied)
    }

    /// A hash of all inputs of findings and severities, in hexadecimal.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The shared rules.
    #[must_use]
    pub fn shared_rules(&self) -> &Arc<RuleSet> {
        self.shared_rules.rules()
    }

    /// Number of organizations with rules or suppressions of their own.
    #[must_use]
    pub fn organizations(&self) -> usize {
        self.own.len()
    }

    fn own_of(&self, OwnRules { layer, at }: OwnRules) -> Own {
        let plan = Arc::new(Plan::beside(&self.shared_rules, &layer));
        let resident = match &self.loader {
            Some(_) => self.residence.take_in(layer.for_matching()),
            None => Resident::for_ever(layer.for_matching()),
        };
        Own { plan, resident: Some(resident), at, standing: Standing::Applied }
    }

    /// The compiled rules of an organization's own, which may be unloaded; none where it has none that are applied.
    pub(crate) fn resident(&self, organization: OrganizationId) -> Option<&Arc<Resident>> {
        self.applied(organization).map(|(_, resident)| resident)
    }

    /// The applied rules of an organization's own.
    fn applied(&self, organization: OrganizationId) -> Option<(&Own, &Arc<Resident>)> {
        let own = self.own.get(&organization).filter(|own| own.standing == Standing::Applied)?;
        own.resident.as_ref().map(|resident| (own, resident))
    }

    /// The plan of an organization.
    pub(crate) fn plan(&self, organization: OrganizationId) -> &Arc<Plan> {
        self.own.get(&organization).map_or(&self.shared_rules, |own| &own.plan)
    }

    /// The rules of an organization beside the shared ones, loaded if necessary; they stay loaded while held.
    ///
    /// # Errors
    /// [`LoadError`].
    pub(crate) async fn layer(&self, organization: OrganizationId) -> Result<Option<Arc<Layer>>, LoadError> {
        let Some((Own { plan, at, .. }, resident)) = self.applied(organization) else { return Ok(None) };
        let load = async {
            // One partition has tried it: the others wait for no further read.
            if self.failing().cause(organization).is_some() {
                return Err(LoadError::Failing(organization));
            }
            let loader = self.loader.as_ref().ok_or(LoadError::Changed(organization))?;
            let layer = loader.load(organization, *at).await?;
            // A change since then is in a later catalogue, or will be.
            let is_same = layer.version() == plan.version();
            if is_same { Ok(layer.for_matching()) } else { Err(LoadError::Changed(organization)) }
        };
        self.residence.get(resident, load).await.map(Some)
    }

    /// A moment passes: rules that were not used for long are unloaded.
    pub(crate) fn turn(&self) {
        self.residence.turn();
    }

    /// Other shared rules, and none of organizations, in the same memory.
    pub(crate) fn succeeded_by(&self, later: Self, loader: Arc<dyn Loader>) -> Self {
        Self { loader: Some(loader), residence: Arc::clone(&self.residence), ..later }
    }

    /// The same rules with severities lowered in other environments.
    pub(crate) fn with_milder(self, milder_environments: BTreeSet<String>) -> Self {
        Self { milder_environments, ..self }.versioned()
    }

    /// Whether incidents of an environment are one step milder.
    pub(crate) fn is_milder(&self, environment: &str) -> bool {
        self.milder_environments.contains(environment)
    }

    /// Organizations whose rules a later catalogue changes.
    pub(crate) fn affected_by(&self, later: &Self) -> Affected {
        if self.shared_rules.version() != later.shared_rules.version() {
            return Affected::All;
        }
        let organizations: BTreeSet<_> = self.own.keys().chain(later.own.keys()).copied().collect();
        let differs = |organization: &OrganizationId| {
            self.plan(*organization).version() != later.plan(*organization).version()
        };
        Affected::Organizations(organizations.into_iter().filter(differs).collect())
    }

    fn versioned(mut self) -> Self {
        let mut parts = vec![self.shared_rules.version().as_bytes()];
        for (organization, Own { plan, standing, .. }) in &self.own {
            parts.extend([organization.as_bytes().as_slice(), plan.version().as_bytes()]);
            parts.extend(Some(standing.as_bytes()).filter(|word| !word.is_empty()));
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

    const RULE: &str =
        "title: One\nlogsource: {product: linux}\ndetection: {a: {message: x}, condition: a}\n";

    const OTHER: &str =
        "title: Other\nlogsource: {product: linux}\ndetection: {a: {message: y}, condition: a}\n";

    fn rules(yaml: &str) -> Arc<RuleSet> {
        let documents = sigma::parse("test.yml", yaml).into_iter().map(Result::unwrap).collect();
        // With the placeholders of the pack, as those of organizations.
        Arc::new(crate::pack::compile(documents, &sigma::Placeholders::default()).0)
    }

    fn beside(catalogue: &Catalogue, yaml: &str) -> OwnRules {
        let documents = sigma::parse("own.yml", yaml).into_iter().map(Result::unwrap).collect();
        let (shared, limits) = (Arc::clone(catalogue.shared_rules()), sigma::Limits::none());
        let (layer, _) =
            crate::pack::compile_beside(shared, documents, &sigma::Placeholders::default(), limits);
        OwnRules { layer, at: Timestamp(0) }
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
        assert_eq!(first.affected_by(&Catalogue::new(rules(""), BTreeSet::new())), Affected::All);
    }
}
