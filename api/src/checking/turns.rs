//! Whose check runs next: one of an organization at a time, and the organizations that wait one after the other,
//! so that an organization with many or long checks delays another by one check at most.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use common::ids::OrganizationId;
use tokio::sync::oneshot;

/// Checks that may run, and those that wait.
#[derive(Debug)]
pub(super) struct Turns {
    at_once: usize,
    most_waiting: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Organizations of which a check runs.
    running: BTreeSet<OrganizationId>,
    /// Organizations of which checks wait, the one whose turn is next first.
    order: VecDeque<OrganizationId>,
    /// Waiting changes, in order of arrival. Never empty for an organization in `order`, absent for others.
    waiting: BTreeMap<OrganizationId, VecDeque<oneshot::Sender<Turn>>>,
}

/// The turn of a check; the next one's begins when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Option<Arc<Turns>>,
    organization: OrganizationId,
}

/// The organization has the most checks that may wait.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooManyWaiting;

impl Turns {
    /// `at_once` checks may run at a time, and `most_waiting` of one organization wait.
    pub(super) fn new(at_once: usize, most_waiting: usize) -> Arc<Self> {
        Arc::new(Self { at_once, most_waiting, state: Mutex::default() })
    }

    /// Waits for a turn, in line with other checks of the organization. Giving up is dropping the future.
    ///
    /// # Errors
    /// [`TooManyWaiting`], at once.
    pub(super) async fn next(self: &Arc<Self>, organization: OrganizationId) -> Result<Turn, TooManyWaiting> {
        let (given, turn) = oneshot::channel();
        {
            let mut state = self.lock();
            let State { order, waiting, .. } = &mut *state;
            let line = waiting.entry(organization).or_default();
            line.retain(|waits| !waits.is_closed());
            if line.len() >= self.most_waiting {
                return Err(TooManyWaiting);
            }
            line.push_back(given);
            if !order.contains(&organization) {
                order.push_back(organization);
            }
        }
        self.give();
        // A sender is dropped only together with its owner, which the waiting caller holds.
        turn.await.map_err(|_| TooManyWaiting)
    }

    /// Gives turns as long as there are any.
    fn give(self: &Arc<Self>) {
        let mut state = self.lock();
        while let Some((organization, given)) = state.take_next(self.at_once) {
            state.running.insert(organization);
            let turn = Turn { turns: Some(Arc::clone(self)), organization };
            if let Err(mut unwanted) = given.send(turn) {
                unwanted.turns = None;
                state.running.remove(&organization);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes out what is to run next: of the organization that has waited longest since its last turn.
    fn take_next(&mut self, at_once: usize) -> Option<(OrganizationId, oneshot::Sender<Turn>)> {
        if self.running.len() >= at_once {
            return None;
        }
        let place = self.order.iter().position(|organization| !self.running.contains(organization))?;
        let organization = self.order.remove(place)?;
        let line = self.waiting.get_mut(&organization)?;
        let next = line.pop_front();
        if line.is_empty() {
            self.waiting.remove(&organization);
        } else {
            self.order.push_back(organization);
        }
        next.map(|next| (organization, next))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.turns.take() {
            turns.lock().running.remove(&self.organization);
            turns.give();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use super::*;

    type Waiting = Pin<Box<dyn Future<Output = Result<Turn, TooManyWaiting>>>>;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    /// Gets in line: a future does nothing before it is asked.
    fn line_up(turns: &Arc<Turns>, number: u8) -> Waiting {
        let turns = Arc::clone(turns);
        let mut waiting: Waiting = Box::pin(async move { turns.next(organization(number)).await });
        assert!(turn(&mut waiting).is_none(), "it has to wait");
        waiting
    }

    fn turn(waiting: &mut Waiting) -> Option<Turn> {
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            std::task::Poll::Ready(turn) => Some(turn.unwrap()),
            std::task::Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn organizations_take_turns_however_many_checks_wait_of_one() {
        let turns = Turns::new(1, 8);
        let first = turns.next(organization(1)).await.unwrap();
        let mut busy: Vec<Waiting> = (0..5).map(|_| line_up(&turns, 1)).collect();
        let (mut second, mut third) = (line_up(&turns, 2), line_up(&turns, 3));
        drop(first);
        let of_busy = turn(&mut busy[0]).unwrap();
        assert!(turn(&mut second).is_none() && turn(&mut busy[1]).is_none());
        drop(of_busy);
        drop(turn(&mut second).unwrap());
        drop(turn(&mut third).unwrap());
        assert!(turn(&mut busy[1]).is_some());
    }

    #[tokio::test]
    async fn of_one_organization_one_check_runs_also_where_there_is_room() {
        let turns = Turns::new(2, 8);
        let first = turns.next(organization(1)).await.unwrap();
        let mut again = line_up(&turns, 1);
        let other = turns.next(organization(2)).await.unwrap();
        drop(other);
        assert!(turn(&mut again).is_none());
        drop(first);
        assert!(turn(&mut again).is_some());
    }

    #[tokio::test]
    async fn whoever_gives_up_takes_no_turn_and_leaves_room_to_wait() {
        let turns = Turns::new(1, 2);
        let first = turns.next(organization(1)).await.unwrap();
        let (gone, given, mut waiting) = (line_up(&turns, 1), line_up(&turns, 2), line_up(&turns, 1));
        assert!(turns.next(organization(1)).await.is_err_and(|error| error == TooManyWaiting));
        drop(gone);
        let late = line_up(&turns, 1);
        drop(first);
        drop(turn(&mut waiting).unwrap());
        // It was given a turn, and never took it.
        drop(given);
        drop(late);
        turns.next(organization(1)).await.unwrap();
        assert!(turns.lock().waiting.is_empty() && turns.lock().order.is_empty());
    }
}
