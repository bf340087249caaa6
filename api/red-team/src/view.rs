//! Schedules in bodies: as users set them, and as the API shows them.

use common::timestamp::Timestamp;
use directory::{RedTeamSchedule, RedTeamSettings, RunWindow};
use rest::openapi::word_of;
use rest::settings::set;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;

use crate::run::{Runs, Skip, SkipReason};
use crate::time_of_day::TimeOfDay;

/// Part of the day in UTC. With an end before the start it goes past midnight; they must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RunWindow, example = json!({"start": "22:00", "end": "04:00"}))]
pub(crate) struct WindowBody {
    /// Beginning.
    start: TimeOfDay,
    /// End.
    end: TimeOfDay,
}

/// Time of scheduled runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RunScheduleChange, example = json!({"window": {"start": "22:00", "end": "04:00"}}))]
pub struct ScheduleBody {
    /// Part of the day in which runs begin; null for all of it.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    window: Option<WindowBody>,
}

/// Scheduled runs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunSchedule)]
pub struct ScheduleView {
    /// Part of the day in which runs begin; null for all of it.
    #[schema(required)]
    window: Option<WindowBody>,
    /// When the next run is due; null without a schedule, and until a change of the schedule has taken effect.
    #[schema(required, format = DateTime)]
    next_run_at: Option<String>,
    /// The last run; null if there was none.
    #[schema(required)]
    last_run: Option<LastRunView>,
    /// The last slot in which no run started, or only a part of it; null if there was none.
    #[schema(required)]
    last_skip: Option<LastSkipView>,
}

/// A run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LastRun)]
pub(crate) struct LastRunView {
    /// When it started.
    #[schema(format = DateTime)]
    at: String,
}

/// A slot in which no run started, or only a part of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LastSkip)]
pub(crate) struct LastSkipView {
    /// Reason.
    #[schema(schema_with = skip_reason)]
    reason: &'static str,
    /// When the service reached the slot: its due time, or the end of a downtime.
    #[schema(format = DateTime)]
    at: String,
}

fn skip_reason() -> ObjectBuilder {
    word_of::<SkipReason>(
        "`reports_unavailable`: this version makes no reports; the inventory of an application was discovered. `still_running`: \
         the last run was active. `too_many`: the organization has too many unfinished runs. `internal_error`: the service \
         failed",
    )
}

/// Schema of the property `red_team_schedule`.
#[must_use]
pub fn red_team_schedule() -> ObjectBuilder {
    word_of::<RedTeamSchedule>("Period of scheduled runs")
}

/// Sets the schedule of a target as the body of a PATCH states it.
pub fn set_schedule(
    settings: &mut RedTeamSettings,
    period: Option<&RedTeamSchedule>,
    schedule: Option<&ScheduleBody>,
) {
    set(&mut settings.schedule, period);
    if let Some(schedule) = schedule {
        settings.window = schedule.window.map(RunWindow::from);
    }
}

impl From<WindowBody> for RunWindow {
    fn from(window: WindowBody) -> Self {
        Self { start: window.start.0, end: window.end.0 }
    }
}

impl From<RunWindow> for WindowBody {
    fn from(window: RunWindow) -> Self {
        Self { start: TimeOfDay(window.start), end: TimeOfDay(window.end) }
    }
}

impl ScheduleView {
    pub(crate) fn new(window: Option<RunWindow>, next_run_at: Option<Timestamp>, runs: Runs) -> Self {
        let skip = |Skip { reason, at }: Skip| LastSkipView { reason: reason.as_str(), at: at.to_iso() };
        Self {
            window: window.map(WindowBody::from),
            next_run_at: next_run_at.map(Timestamp::to_iso),
            last_run: runs.last_run.map(|at| LastRunView { at: at.to_iso() }),
            last_skip: runs.last_skip.map(skip),
        }
    }
}
