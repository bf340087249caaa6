//! Settings of red-team runs that applications and agents share: credentials for the target, the request rate, and the
//! schedule. Secrets come sealed. Jobs of schedules are not here.

use std::collections::BTreeMap;

use common::words;
use secrets::{Sealed, Vault};
use serde::{Deserialize, Serialize};

use crate::error::DirectoryError;
use crate::sealed_values::{RowLocation, SealError, sealed_headers, sealed_text};
use crate::subscription::check_headers;

/// Largest request rate (specification, Limits).
const MAX_THROTTLE_RPM: u16 = 600;
/// Minutes of a day.
const DAY: u16 = 1_440;
/// Longest email address (RFC 5321 section 4.5.3.1.3), in characters.
const MAX_EMAIL: usize = 254;
/// Longest password, in characters: longer than generated ones and passphrases.
const MAX_PASSWORD: usize = 1_000;

words!(
    /// Period of red-team runs (specification, Application and Agent asset).
    RedTeamSchedule {
        /// No runs.
        Off = "off",
        /// Once a day.
        Daily = "daily",
        /// Once a week.
        Weekly = "weekly",
        /// Once a month.
        Monthly = "monthly",
    }
);

/// Part of the day in UTC, which may go past midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunWindow {
    /// Minute of the day at which it begins.
    pub start: u16,
    /// Minute of the day at which it ends; not the same as the start.
    pub end: u16,
}

/// Settings of red-team runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedTeamSettings {
    /// Sealed for the field `login_email`.
    pub login_email: Option<Sealed>,
    /// Sealed for the field `login_password`.
    pub login_password: Option<Sealed>,
    /// Headers by name, in lower case; their values are sealed for the field `header/` and the name.
    pub headers: BTreeMap<String, Sealed>,
    /// Most requests a minute, 1 to 600.
    pub request_throttle_rpm: Option<u16>,
    /// Period of the runs.
    pub schedule: RedTeamSchedule,
    /// Part of the day for the runs; all of it without.
    pub window: Option<RunWindow>,
}

/// Values to set; `None` leaves one as it is. Has no `Debug`: they are secrets.
#[derive(Clone, Default)]
pub struct NewCredentials {
    /// Email address of the login; `Some(None)` clears it.
    pub login_email: Option<Option<String>>,
    /// Password of the login; `Some(None)` clears it.
    pub login_password: Option<Option<String>>,
    /// All headers from now on.
    pub headers: Option<BTreeMap<String, String>>,
}

/// The same, sealed.
#[derive(Clone, Debug, Default)]
pub struct SealedCredentials {
    login_email: Option<Option<Sealed>>,
    login_password: Option<Option<Sealed>>,
    headers: Option<BTreeMap<String, Sealed>>,
}

impl RunWindow {
    /// Its length in minutes.
    #[must_use]
    pub fn minutes(self) -> u16 {
        (self.end + DAY - self.start) % DAY
    }

    fn check(self) -> Result<(), DirectoryError> {
        if self.start < DAY && self.end < DAY && self.start != self.end {
            return Ok(());
        }
        let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        let expected = "expected a window whose start and end are different times of the day";
        let reason = format!("{expected}, found {} to {}", time(self.start), time(self.end));
        Err(DirectoryError::invalid("schedule", reason))
    }
}

impl Default for RedTeamSettings {
    /// No credentials and no runs.
    fn default() -> Self {
        Self {
            login_email: None,
            login_password: None,
            headers: BTreeMap::new(),
            request_throttle_rpm: None,
            schedule: RedTeamSchedule::Off,
            window: None,
        }
    }
}

impl RedTeamSettings {
    /// Whether a login is set.
    #[must_use]
    pub fn has_login(&self) -> bool {
        self.login_email.is_some() || self.login_password.is_some()
    }

    /// Sets the credentials that a change names. With `is_moved` the target is at another origin, which must not get the
    /// credentials of the earlier one: those that the change does not name are cleared.
    pub fn set_credentials(&mut self, new: &SealedCredentials, is_moved: bool) {
        if is_moved {
            (self.login_email, self.login_password) = (None, None);
            self.headers.clear();
        }
        let SealedCredentials { login_email, login_password, headers } = new.clone();
        self.login_email = login_email.unwrap_or_else(|| self.login_email.take());
        self.login_password = login_password.unwrap_or_else(|| self.login_password.take());
        if let Some(headers) = headers {
            self.headers = headers;
        }
    }

    pub(crate) fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check_headers(&self.headers, before.map(|before| &before.headers))?;
        if let Some(rate) = self.request_throttle_rpm.filter(|rate| !(1..=MAX_THROTTLE_RPM).contains(rate)) {
            let expected = format!("expected 1 to {MAX_THROTTLE_RPM}, found {rate}");
            return Err(DirectoryError::invalid("request_throttle_rpm", expected));
        }
        self.window.map_or(Ok(()), RunWindow::check)
    }
}

impl NewCredentials {
    /// Seals them for a row.
    ///
    /// # Errors
    /// [`SealError`].
    pub async fn seal(self, vault: &Vault, row: RowLocation<'_>) -> Result<SealedCredentials, SealError> {
        Ok(SealedCredentials {
            login_email: sealed(vault, row, ("login_email", MAX_EMAIL), self.login_email).await?,
            login_password: sealed(vault, row, ("login_password", MAX_PASSWORD), self.login_password).await?,
            headers: match self.headers {
                Some(headers) => Some(sealed_headers(vault, row, headers).await?),
                None => None,
            },
        })
    }
}

async fn sealed(
    vault: &Vault,
    row: RowLocation<'_>,
    field: (&'static str, usize),
    text: Option<Option<String>>,
) -> Result<Option<Option<Sealed>>, SealError> {
    match text {
        Some(Some(text)) => Ok(Some(Some(sealed_text(vault, row, field, &text).await?))),
        Some(None) => Ok(Some(None)),
        None => Ok(None),
    }
}
