//! Reserving, settling, and returning what was abandoned: each one commit in the organization's ledger.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::row::{BodyError, decode, encode};
use ledger::retry::Attempts;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range};
use thiserror::Error;
use uuid::Uuid;

use crate::account::{Account, Plan};
use crate::reservation::{Reservation, Settlement};

const ACCOUNT: &[u8] = b"credits/account";
const RESERVATIONS: &[u8] = b"credits/reservation/";
/// A request stores its record within seconds of its reservation; it may be retried meanwhile.
const ABANDONED_AFTER: Duration = Duration::from_secs(10 * 60);
/// Settled reservations are remembered for longer than a request is recognised by its `Idempotency-Key` (24 hours), so that
/// a repeated request does not reserve again.
const REMEMBERED: Duration = Duration::from_secs(25 * 60 * 60);
/// Reservations read and removed by one commit.
const PAGE: usize = 100;

/// Reason why credits were not reserved or settled.
#[derive(Debug, Error)]
pub enum CreditsError {
    /// The balance is too low.
    #[error("expected a balance of at least {needed} credits, found {balance}")]
    Exhausted {
        /// Credits that the work costs.
        needed: u64,
        /// Credits that can be reserved.
        balance: u64,
    },
    /// Other commits came first in every attempt.
    #[error("the organization's ledger changed during every attempt")]
    Conflict,
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row is damaged.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// Credits of all organizations.
#[derive(Clone)]
pub struct Credits {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
}

impl Credits {
    /// Credits in a ledger.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, clock: SharedClock) -> Self {
        Self { ledger, clock }
    }

    /// The account of an organization now.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn account(&self, organization: OrganizationId) -> Result<Account, CreditsError> {
        let account: Option<Account> = self.read(organization, ACCOUNT).await?;
        Ok(account.unwrap_or_default().at(self.clock.now()))
    }

    /// Gives an organization a plan. What is used and reserved stays.
    ///
    /// # Errors
    /// `Conflict`, `Ledger` and `Body`.
    pub async fn set_plan(&self, organization: OrganizationId, plan: Plan) -> Result<Account, CreditsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let account = self.account(organization).await?.with(plan, self.clock.now());
            if attempts.commit(vec![put(ACCOUNT.to_vec(), &account)?]).await? {
                return Ok(account);
            }
        }
        Err(CreditsError::Conflict)
    }

    /// Reserves an amount for a record. Again under the key of an open reservation or of one that was charged, it takes
    /// nothing; again under the key of one that was returned, it reserves anew, because the work goes on.
    ///
    /// # Errors
    /// `Exhausted` where the balance is too low; `Conflict`, `Ledger` and `Body`.
    pub async fn reserve(
        &self,
        organization: OrganizationId,
        key: Uuid,
        amount: u64,
    ) -> Result<(), CreditsError> {
        if amount == 0 {
            return Ok(());
        }
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let (before, made_at) = (self.reservation(organization, key).await?, self.clock.now());
            let ops = match before.filter(|before| !before.is_returned()) {
                Some(Reservation { settled: Some(_), .. }) => return Ok(()),
                // The request that made it is repeated: its ten minutes begin anew.
                Some(open) => vec![put_reservation(&Reservation { made_at, ..open })?],
                None => {
                    let account = self.account(organization).await?;
                    let Some(reserved) = account.reserve(amount) else {
                        let balance = account.balance().unwrap_or_default();
                        return Err(CreditsError::Exhausted { needed: amount, balance });
                    };
                    let reservation = Reservation { key, amount, made_at, settled: None };
                    vec![put(ACCOUNT.to_vec(), &reserved)?, put_reservation(&reservation)?]
                }
            };
            if attempts.commit(ops).await? {
                return Ok(());
            }
        }
        Err(CreditsError::Conflict)
    }

    /// Charges an amount, at most the reserved one, and returns the rest. Without a reservation nothing is charged: its amount
    /// was 0, or it was returned.
    ///
    /// # Errors
    /// `Conflict`, `Ledger` and `Body`.
    pub async fn settle(
        &self,
        organization: OrganizationId,
        key: Uuid,
        amount: u64,
    ) -> Result<(), CreditsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let Some(reservation) = self.reservation(organization, key).await? else { return Ok(()) };
            if reservation.settled.is_some() {
                return Ok(());
            }
            let charged = amount.min(reservation.amount);
            let account = self.account(organization).await?.settle(reservation.amount, charged);
            let settled = Some(Settlement { at: self.clock.now(), charged });
            let settled = Reservation { settled, ..reservation };
            let ops = vec![put(ACCOUNT.to_vec(), &account)?, put_reservation(&settled)?];
            if attempts.commit(ops).await? {
                return Ok(());
            }
        }
        Err(CreditsError::Conflict)
    }

    /// Returns the reservations that are older than ten minutes and whose record does not exist, and forgets settlements that
    /// are older than 25 hours. The number of returned reservations.
    ///
    /// # Errors
    /// The error of `exists`; `Conflict`, `Ledger` and `Body`.
    pub async fn return_abandoned<E: From<CreditsError>, F: Future<Output = Result<bool, E>>>(
        &self,
        organization: OrganizationId,
        exists: impl Fn(Uuid) -> F,
    ) -> Result<usize, E> {
        let mut returned = 0;
        let mut after = None;
        loop {
            let page = self.page(organization, after).await?;
            let Some(last) = page.last() else { return Ok(returned) };
            after = Some(last.key);
            for Reservation { key, made_at, settled, .. } in page {
                let age = self.clock.now().since(settled.map_or(made_at, |settled| settled.at));
                match settled {
                    Some(_) if age > REMEMBERED => self.forget(organization, key).await?,
                    None if age > ABANDONED_AFTER && !exists(key).await? => {
                        self.settle(organization, key, 0).await?;
                        returned += 1;
                    }
                    _ => {}
                }
            }
        }
    }

    async fn forget(&self, organization: OrganizationId, key: Uuid) -> Result<(), CreditsError> {
        let mut attempts = self.attempts(organization);
        while attempts.next().await? {
            let delete = Op::Delete { kind: Kind::State, key: reservation_key(key).to_vec().into() };
            if attempts.commit(vec![delete]).await? {
                return Ok(());
            }
        }
        Err(CreditsError::Conflict)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        after: Option<Uuid>,
    ) -> Result<Vec<Reservation>, CreditsError> {
        let after = after.map(reservation_key);
        let range =
            Range { prefix: RESERVATIONS, after: after.as_ref().map(<[u8; 36]>::as_slice), backwards: false };
        let rows = self.ledger.scan(LedgerId::Organization(organization), Kind::State, range, PAGE).await?;
        Ok(rows.iter().map(|row| decode(&row.body)).collect::<Result<_, _>>()?)
    }

    async fn reservation(
        &self,
        organization: OrganizationId,
        key: Uuid,
    ) -> Result<Option<Reservation>, CreditsError> {
        self.read(organization, &reservation_key(key)).await
    }

    async fn read<T: serde::de::DeserializeOwned>(
        &self,
        organization: OrganizationId,
        key: &[u8],
    ) -> Result<Option<T>, CreditsError> {
        let body = self.ledger.get(LedgerId::Organization(organization), Kind::State, key).await?;
        Ok(body.map(|body| decode(&body)).transpose()?)
    }

    fn attempts(&self, organization: OrganizationId) -> Attempts<'_> {
        Attempts::of(self.ledger.as_ref(), LedgerId::Organization(organization))
    }
}

impl fmt::Debug for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credits(..)")
    }
}

fn put(key: Vec<u8>, row: &impl serde::Serialize) -> Result<Op, BodyError> {
    Ok(Op::Put { kind: Kind::State, key: key.into(), body: encode(row)?.into() })
}

fn put_reservation(reservation: &Reservation) -> Result<Op, BodyError> {
    put(reservation_key(reservation.key).to_vec(), reservation)
}

fn reservation_key(key: Uuid) -> [u8; 36] {
    let mut row = [0; 36];
    let (prefix, id) = row.split_at_mut(RESERVATIONS.len());
    prefix.copy_from_slice(RESERVATIONS);
    id.copy_from_slice(key.as_bytes());
    row
}
