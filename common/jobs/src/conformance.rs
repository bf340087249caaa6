//! The suite that passes over every ledger: the contract, clause by clause. It panics where a clause is broken.

mod bounds;
mod endings;
mod owners;
mod people;
pub(crate) mod stage;
mod times;

use std::sync::Arc;

use ledger::Ledger;

use self::stage::Stage;

/// Runs all of it, on an empty store.
pub async fn run(ledger: Arc<dyn Ledger>) {
    endings::record_job_and_event_are_one_commit(Stage::new(&ledger, 1)).await;
    endings::attempts_go_on_from_the_checkpoint_and_end_after_three(Stage::new(&ledger, 2)).await;
    endings::what_cannot_succeed_ends_at_once(Stage::new(&ledger, 3)).await;
    endings::a_panic_is_a_failure(Stage::new(&ledger, 4)).await;
    endings::a_failure_handler_that_fails_is_given_up(Stage::new(&ledger, 5)).await;
    times::a_deferred_job_waits_without_a_failure(Stage::new(&ledger, 6)).await;
    times::a_deadline_ends_a_job(Stage::new(&ledger, 7)).await;
    times::missed_slots_of_a_schedule_are_one_job(Stage::new(&ledger, 8)).await;
    times::a_schedule_never_has_two_jobs(Stage::new(&ledger, 9)).await;
    bounds::a_queue_has_room_for_so_many(Stage::new(&ledger, 10)).await;
    bounds::organizations_take_turns(Stage::new(&ledger, 11)).await;
    bounds::heavy_jobs_have_slots_of_their_own(Stage::new(&ledger, 12)).await;
    bounds::an_unfinished_claim_refuses_a_second_job(Stage::new(&ledger, 13)).await;
    bounds::a_running_claim_lets_others_wait(Stage::new(&ledger, 14)).await;
    bounds::too_large_is_refused(Stage::new(&ledger, 15)).await;
    owners::a_replaced_worker_cannot_commit(Stage::new(&ledger, 16)).await;
    owners::a_job_that_is_given_back_counts_no_failure(Stage::new(&ledger, 17)).await;
    people::a_cancelled_job_ends_once(Stage::new(&ledger, 18)).await;
    people::a_finished_job_is_listed_and_queued_again(Stage::new(&ledger, 19)).await;
    times::a_schedule_passes_on_priority_and_claim(Stage::new(&ledger, 20)).await;
    times::a_schedule_of_another_cadence_still_has_one_job(Stage::new(&ledger, 21)).await;
    people::a_cancelled_job_waits_for_no_bound_and_no_key(Stage::new(&ledger, 22)).await;
    people::a_cancelled_job_of_an_unknown_kind_is_abandoned(Stage::new(&ledger, 23)).await;
    bounds::a_refused_claim_is_not_asked_for_again_at_once(Stage::new(&ledger, 24)).await;
}
