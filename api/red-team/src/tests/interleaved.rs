//! Changes of a row while its schedule is being written.

use ledger::wrapped::Wrapper;
use ledger::{Commit, LedgerError, LedgerId, Op, Seq};
use tokio::sync::Notify;

use super::*;

/// A ledger whose next commit to records waits, once it is asked to.
#[derive(Default)]
struct Gate {
    memory: MemoryLedger,
    holds: AtomicBool,
    reached: Notify,
    released: Notify,
}

#[async_trait]
impl Wrapper for Gate {
    fn inner(&self) -> &dyn Ledger {
        &self.memory
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        if matches!(ledger, LedgerId::Records(_)) && self.holds.swap(false, Ordering::SeqCst) {
            self.reached.notify_one();
            self.released.notified().await;
        }
        self.memory.commit(ledger, at, ops).await
    }
}

async fn assert_agrees(fixture: &Fixture, id: ApplicationId, wanted: RedTeamSchedule) {
    let row = fixture.directory.applications().get(fixture.organization, id).await.unwrap().unwrap();
    assert_eq!(row.red_team.schedule, wanted);
    let found = fixture.scheduled(id).await.map(|schedule| schedule.timing());
    assert_eq!(found, timing(&row.red_team));
    assert_eq!(fixture.shown(id).await["next_run_at"].is_string(), found.is_some());
}

#[tokio::test(start_paused = true)]
async fn of_two_changes_at_the_same_time_the_row_decides() {
    for last in [RedTeamSchedule::Daily, RedTeamSchedule::Monthly, RedTeamSchedule::Off] {
        let gate = Arc::new(Gate::default());
        let fixture = Fixture::on(gate.clone(), |_, kind| kind).await;
        let id = fixture.application("shop").await;
        fixture.set(id, RedTeamSchedule::Daily, None).await;
        fixture.settle(id).await;
        // The first change has read its row, and is about to write the schedule.
        fixture.set(id, RedTeamSchedule::Weekly, None).await;
        gate.holds.store(true, Ordering::SeqCst);
        let second = async {
            gate.reached.notified().await;
            fixture.set(id, last, None).await;
            // With the period of the beginning, it finds a schedule that agrees, and has nothing to write.
            fixture.settle(id).await;
            gate.released.notify_one();
        };
        tokio::join!(fixture.settle(id), second);
        assert_agrees(&fixture, id, last).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_while_a_slot_is_decided_is_not_undone_by_it() {
    let fixture = Fixture::new().await;
    let id = fixture.application("shop").await;
    fixture.set(id, RedTeamSchedule::Daily, None).await;
    fixture.settle(id).await;
    let due = fixture.scheduled(id).await.unwrap().next_due;
    // The slot of the daily schedule finds a row that says weekly, and while it is decided the row says daily again.
    fixture.set(id, RedTeamSchedule::Weekly, None).await;
    let (directory, schedules, organization) =
        (Arc::clone(&fixture.directory), fixture.schedules.clone(), fixture.organization);
    let meanwhile = async move {
        let change = |row: &mut Application| {
            row.red_team.schedule = RedTeamSchedule::Daily;
            Ok(())
        };
        directory.applications().update(organization, id, change).await.unwrap();
        schedules.settle(organization, Target::Application(id)).await.unwrap();
    };
    *fixture.discovery.meanwhile.lock().unwrap() = Some(Box::pin(meanwhile));
    fixture.work_at(due).await;
    assert_eq!(fixture.discovery.count.load(Ordering::SeqCst), 1, "the slot was decided");
    assert_agrees(&fixture, id, RedTeamSchedule::Daily).await;
}
