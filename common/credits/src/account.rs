//! The account of an organization: its plan, and what is reserved and used.

use common::timestamp::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Credits of an organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// Everything; credits are counted and never refused.
    #[default]
    Unlimited,
    /// This number of credits each calendar month (UTC).
    Limited(u64),
}

impl Plan {
    /// Its name in the API: `unlimited` or `limited`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unlimited => "unlimited",
            Self::Limited(_) => "limited",
        }
    }
}

/// The account of an organization at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The plan.
    pub plan: Plan,
    /// Credits of work that has not been settled.
    pub reserved: u64,
    /// Credits charged in `month`.
    pub used: u64,
    /// Months since the year 0, the one that `used` counts.
    month: i32,
}

impl Account {
    /// Credits that can be reserved; `None` where the plan has no limit.
    #[must_use]
    pub fn balance(&self) -> Option<u64> {
        match self.plan {
            Plan::Unlimited => None,
            Plan::Limited(granted) => Some(granted.saturating_sub(self.used).saturating_sub(self.reserved)),
        }
    }

    /// The account at a later time: another month begins with nothing used. The clock of another process may be behind, so
    /// an earlier month changes nothing.
    pub(crate) fn at(self, now: Timestamp) -> Self {
        let month = month(now);
        if month > self.month { Self { used: 0, month, ..self } } else { self }
    }

    /// The account under a plan. A month that a clock far ahead has written ends here.
    pub(crate) fn with(self, plan: Plan, now: Timestamp) -> Self {
        Self { plan, month: month(now), ..self }
    }

    /// Takes an amount out of the balance; `None` where it is too low.
    pub(crate) fn reserve(self, amount: u64) -> Option<Self> {
        if self.balance().is_some_and(|balance| balance < amount) {
            return None;
        }
        Some(Self { reserved: self.reserved.saturating_add(amount), ..self })
    }

    /// Ends a reservation and charges an amount.
    pub(crate) fn settle(self, reserved: u64, charged: u64) -> Self {
        let (reserved, used) = (self.reserved.saturating_sub(reserved), self.used.saturating_add(charged));
        Self { reserved, used, ..self }
    }
}

fn month(time: Timestamp) -> i32 {
    let time = jiff::Timestamp::from_nanosecond(time.0.into()).unwrap_or_default();
    let date = time.to_zoned(TimeZone::UTC).date();
    i32::from(date.year()) * 12 + i32::from(date.month()) - 1
}
