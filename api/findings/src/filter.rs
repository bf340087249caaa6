//! Filters and orders of lists of findings.

use common::ids::{AgentId, ApplicationId, RecordId};
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use engine::Level;
use index::{Match, Needle, Page, Part, Scan};

use crate::finding::{Finding, FindingKind, FindingSource};
use crate::listed::{Facets, Item, OrganizationIndex};
use crate::review::MAX_POSITION;
use crate::target::Target;

common::words!(
    /// Whether a finding is open.
    State {
        /// It is not resolved.
        Open = "open",
        /// It is.
        Resolved = "resolved",
    }
);

common::words!(
    /// Order of a list.
    #[derive(Default)]
    Sort {
        /// Newest first, then id descending: the order of the index.
        #[default]
        Newest = "newest",
        /// Most severe first, findings without a severity last; then newest first.
        Severity = "severity",
        /// By column of the board (triage status), position, and id.
        Board = "board",
    }
);

/// Properties that a list of findings can be filtered by; `None` does not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Findings of this kind.
    #[param(schema_with = crate::schema::kind)]
    pub(crate) kind: Option<FindingKind>,
    /// Findings with this triage status.
    #[param(schema_with = crate::schema::triage_status)]
    pub(crate) triage_status: Option<TriageStatus>,
    /// Open findings, which are not resolved, or resolved ones.
    #[param(schema_with = crate::schema::state)]
    pub(crate) state: Option<State>,
    /// Findings of this severity.
    #[param(schema_with = crate::schema::level)]
    pub(crate) severity: Option<Level>,
    /// Findings of this risk level.
    #[param(schema_with = crate::schema::level)]
    pub(crate) risk_level: Option<Level>,
    /// Findings resolved this way.
    #[param(schema_with = crate::schema::triage_resolution)]
    pub(crate) triage_resolution: Option<TriageResolution>,
    /// Findings of this origin.
    #[param(schema_with = crate::schema::source)]
    pub(crate) source: Option<FindingSource>,
    /// Findings that this report observed last.
    #[param(value_type = Option<String>, format = Uuid)]
    pub(crate) report_id: Option<RecordId>,
    /// Findings of this application.
    #[param(value_type = Option<String>, format = Uuid)]
    pub(crate) application_id: Option<ApplicationId>,
    /// Findings of this agent.
    #[param(value_type = Option<String>, format = Uuid)]
    pub(crate) agent_id: Option<AgentId>,
    /// Findings of this repository: `owner/name`, or its id at the code host.
    #[param(min_length = 1, max_length = 200)]
    pub(crate) repository: Option<String>,
    /// The id of the repository that has this name now, by which findings from before a change of its name are found.
    #[param(ignore)]
    pub(crate) repository_id: Option<String>,
    /// Findings with this weakness, for example `CWE-79` or `79`.
    #[param(value_type = Option<String>, max_length = 9)]
    pub(crate) cwe: Option<u32>,
    /// Findings of exactly this assignee.
    #[param(min_length = 1, max_length = 200)]
    pub(crate) assignee: Option<String>,
    /// Findings created at or after this time (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(crate) from: Option<Timestamp>,
    /// Findings created before this time.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(crate) to: Option<Timestamp>,
    /// Literal, case-insensitive text in the title, repository or assignee. There are no wildcards.
    #[param(max_length = 1000)]
    pub(crate) q: Option<String>,
}

/// A filter in the terms of one organization's dictionaries: for each number, whether its value matches.
pub(crate) struct Compiled<'f> {
    filter: &'f Filter,
    targets: Option<Vec<bool>>,
    reports: Option<Vec<bool>>,
    assignees: Option<Vec<bool>>,
    cwes: Option<Vec<bool>>,
    text: Option<Text>,
}

struct Text {
    needle: Needle,
    targets: Vec<bool>,
    assignees: Vec<bool>,
}

impl Filter {
    fn narrows(&self) -> bool {
        *self != Self::default()
    }

    pub(crate) fn compile<'f>(&'f self, index: &OrganizationIndex) -> Compiled<'f> {
        let values = index.values();
        let is_of_target =
            self.application_id.is_some() || self.agent_id.is_some() || self.repository.is_some();
        Compiled {
            filter: self,
            targets: is_of_target.then(|| values.targets.select(|target| self.names(target))),
            reports: self.report_id.map(|wanted| values.reports.select(|report| *report == Some(wanted))),
            assignees: self
                .assignee
                .as_deref()
                .map(|wanted| values.assignees.select(|assignee| assignee.as_deref() == Some(wanted))),
            cwes: self.cwe.map(|wanted| values.cwes.select(|cwes| cwes.contains(&wanted))),
            text: self.q.as_ref().map(|text| {
                let needle = Needle::new(text);
                Text {
                    targets: values.targets.select(|target| needle.is_in(target.repository())),
                    assignees: values
                        .assignees
                        .select(|assignee| assignee.as_ref().is_some_and(|name| needle.is_in(name))),
                    needle,
                }
            }),
        }
    }

    fn names(&self, target: &Target) -> bool {
        let (application, agent) = match target {
            Target::Application { id } => (Some(*id), None),
            Target::Agent { id } => (None, Some(*id)),
            Target::Repository { .. } | Target::Package { .. } => (None, None),
        };
        let is_repository = |wanted: &String| match target {
            Target::Repository { id, full_name } => match &self.repository_id {
                Some(known) => known == id,
                None => wanted == id || full_name.eq_ignore_ascii_case(wanted),
            },
            _ => false,
        };
        self.application_id.is_none_or(|wanted| application == Some(wanted))
            && self.agent_id.is_none_or(|wanted| agent == Some(wanted))
            && self.repository.as_ref().is_none_or(is_repository)
    }
}

impl Compiled<'_> {
    pub(crate) fn scan(&self) -> Scan<'_> {
        Scan {
            from: self.filter.from.map(Timestamp::as_millis),
            to: self.filter.to.map(Timestamp::as_millis),
            needle: self.text.as_ref().map(|text| &text.needle),
        }
    }

    pub(crate) fn matches(&self, item: &Item<'_>) -> Match {
        let (filter, facets) = (self.filter, item.facets);
        let is_resolved = facets.status == TriageStatus::Resolved;
        let is_asked_for = filter.kind.is_none_or(|kind| kind == facets.kind)
            && filter.triage_status.is_none_or(|status| status == facets.status)
            && filter.state.is_none_or(|state| (state == State::Resolved) == is_resolved)
            && filter.severity.is_none_or(|severity| Some(severity) == facets.severity)
            && filter.risk_level.is_none_or(|risk| risk == facets.risk)
            && filter.triage_resolution.is_none_or(|resolution| Some(resolution) == facets.resolution)
            && filter.source.is_none_or(|source| source == facets.source)
            && selects(self.targets.as_ref(), facets.target)
            && selects(self.reports.as_ref(), facets.report)
            && selects(self.assignees.as_ref(), facets.assignee)
            && selects(self.cwes.as_ref(), facets.cwes);
        match &self.text {
            _ if !is_asked_for => Match::No,
            Some(text) if !text.is_in_values(facets) => Match::IfText,
            _ => Match::Yes,
        }
    }
}

impl Text {
    fn is_in_values(&self, facets: &Facets) -> bool {
        selects(Some(&self.targets), facets.target) || selects(Some(&self.assignees), facets.assignee)
    }
}

fn selects(values: Option<&Vec<bool>>, code: u32) -> bool {
    values.is_none_or(|values| values.get(code as usize).copied().unwrap_or(false))
}

/// A part of the findings of `index` that match, and how many match in all.
pub(crate) fn list(index: &OrganizationIndex, filter: &Filter, sort: Sort, part: Part) -> Page<Finding> {
    if sort == Sort::Newest && !filter.narrows() {
        return index::all(index, part);
    }
    let compiled = filter.compile(index);
    let (scan, matches) = (compiled.scan(), |item: &Item<'_>| compiled.matches(item));
    match sort {
        Sort::Newest => index::by_activity(index, &scan, matches, part),
        Sort::Severity => index::by_key(index, &scan, matches, |item| item.facets.severity, part),
        Sort::Board => index::by_key_and_id(index, &scan, matches, |item| board(item.facets), part),
    }
}

/// Column and position in one number: a position has at most 53 bits.
fn board(facets: &Facets) -> u64 {
    (facets.status as u64) << 53 | facets.board_position.min(MAX_POSITION)
}
