//! Check by the directory's callers before they add a rule or a suppression: whether the YAML can be
//! used beside the existing documents. The checker knows the rule language; the directory does not.

use common::ids::DetectionRuleId;
use common::incident::Evidence;
use common::timestamp::Timestamp;

use crate::own_detection::OwnDetection;

/// Context of a document's check, and its condition to give up.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Documents of the organization.
    pub own: &'a OwnDetection,
    /// Called many times during a check; once it is true, the check ends with [`DocumentRefusal::GivenUp`].
    pub give_up: &'a dyn Fn() -> bool,
}

/// Checks whether an organization's documents can be used, together with the shared rules. Takes
/// processor time, up to seconds: not for asynchronous threads.
pub trait DocumentCheck: Send + Sync {
    /// Whether `yaml` can be a rule of the organization, in the place of `replaced` where that is given.
    /// A rule that is not to be enabled must be usable all the same, but nothing may need it.
    ///
    /// # Errors
    /// [`DocumentRefusal`].
    fn rule(
        &self,
        asked: Asked<'_>,
        replaced: Option<DetectionRuleId>,
        yaml: &str,
        enabled: bool,
    ) -> Result<Described, DocumentRefusal>;

    /// Whether `yaml` can be a suppression of the organization. Where its condition holds for a record without any
    /// fields, only if that is allowed.
    ///
    /// # Errors
    /// [`DocumentRefusal::Faulty`] and [`DocumentRefusal::GivenUp`].
    fn suppression(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        allow_match_without_fields: bool,
    ) -> Result<Described, DocumentRefusal>;

    /// Which rules of a YAML text match the records of each payload, an OTLP logs export in protobuf. Correlations are not
    /// evaluated, the rules that they count are. `now` completes times without a year.
    ///
    /// # Errors
    /// [`DocumentRefusal::Faulty`] and [`DocumentRefusal::GivenUp`].
    fn trial(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        payloads: &[Vec<u8>],
        now: Timestamp,
    ) -> Result<Vec<Vec<TrialMatch>>, DocumentRefusal>;

    /// Of which incidents, given by their kept evidence, a suppression of the organization takes away every record: for
    /// each rule that the record is evidence for, judged by the fields that are kept. A correlation stands for the rules
    /// that it counts.
    ///
    /// # Errors
    /// [`DocumentRefusal::Faulty`] and [`DocumentRefusal::GivenUp`].
    fn covered(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        incidents: &[Vec<Evidence>],
    ) -> Result<Vec<bool>, DocumentRefusal>;

    /// Whether what is left can be used without a rule.
    ///
    /// # Errors
    /// [`DocumentRefusal::Needed`] and [`DocumentRefusal::GivenUp`].
    fn removal(&self, asked: Asked<'_>, rule: DetectionRuleId) -> Result<(), DocumentRefusal>;
}

/// A rule that matches in a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialMatch {
    /// The rule's Sigma id.
    pub sigma_id: String,
    /// Its title.
    pub title: String,
    /// Its level, as Sigma writes it; `None` where it states none.
    pub level: Option<&'static str>,
}

/// Metadata of a usable document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its title; of a correlation that comes with its rules, the correlation's.
    pub title: String,
    /// The ids of the Sigma documents in it, in their order, at least one: findings and counts name them.
    pub sigma_ids: Vec<String>,
}

/// Reason why a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRefusal {
    /// The document cannot be used; at least one fault.
    Faulty(Vec<DocumentFault>),
    /// Others could not be used any more; at least one.
    Needed(Vec<Dependent>),
    /// The check was given up, as the caller wanted.
    GivenUp,
}

/// A fault of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFault {
    /// The line of the YAML, from 1, where it is known.
    pub line: Option<u32>,
    /// Description of the fault.
    pub cause: String,
}

impl std::fmt::Display for DocumentFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.cause),
            None => f.write_str(&self.cause),
        }
    }
}

/// A rule or suppression of the organization that needs another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependent {
    /// Its kind, as named by the API: `detection_rule` or `suppression`.
    pub object: &'static str,
    /// Its id, as the API prints it.
    pub id: String,
    /// Its title.
    pub title: String,
}
