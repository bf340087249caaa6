//! Slots without a run, and the housekeeping job over several attempts.

use super::*;
use crate::repair;
use crate::run::RUNS;

/// Runs the slot of an application with this result of its discovery; the reason of its skip.
async fn reason(fixture: &Fixture, id: ApplicationId, result: Result<bool, EnqueueError>) -> Value {
    *fixture.discovery.next.lock().unwrap() = Some(result);
    let due = fixture.scheduled(id).await.unwrap().next_due;
    fixture.work_at(due).await;
    let shown = fixture.shown(id).await;
    assert_eq!(second(&shown["last_skip"]["at"]), second(&json!(due.to_iso())));
    shown["last_skip"]["reason"].clone()
}

#[tokio::test(start_paused = true)]
async fn each_reason_of_a_slot_without_a_run_is_shown() {
    let fixture = Fixture::new().await;
    let id = fixture.application("shop").await;
    fixture.set(id, RedTeamSchedule::Daily, None).await;
    fixture.settle(id).await;
    assert_eq!(reason(&fixture, id, Ok(true)).await, "reports_unavailable");
    let started = fixture.shown(id).await["last_run"].clone();
    for (result, expected) in [
        (Ok(false), "still_running"),
        (Err(EnqueueError::Full { limit: 1 }), "too_many"),
        (Err(EnqueueError::UnknownKind("x".to_owned())), "internal_error"),
    ] {
        assert_eq!(reason(&fixture, id, result).await, expected);
    }
    assert_eq!(fixture.shown(id).await["last_run"], started, "no further run began");
}

#[tokio::test(start_paused = true)]
async fn slots_without_a_job_are_shown_too() {
    // Room for one unfinished job of an organization, and no worker that runs any.
    let narrow = |_: &Arc<Directory>, kind: JobKind| JobKind { running: 0, queued: 1, ..kind };
    let fixture = Fixture::on(Arc::new(MemoryLedger::new()), narrow).await;
    let (shop, site) = (fixture.application("shop").await, fixture.application("site").await);
    for id in [shop, site] {
        fixture.set(id, RedTeamSchedule::Daily, None).await;
        fixture.settle(id).await;
    }
    fixture.work_at(fixture.clock.now().plus(DAY)).await;
    let skips =
        [fixture.shown(shop).await["last_skip"].clone(), fixture.shown(site).await["last_skip"].clone()];
    let full: Vec<&Value> = skips.iter().filter(|skip| skip["reason"] == "too_many").collect();
    assert_eq!(full.len(), 1, "{skips:?}");
    assert_eq!(skips.iter().filter(|skip| skip.is_null()).count(), 1, "{skips:?}");
    fixture.work_at(fixture.clock.now().plus(DAY)).await;
    for id in [shop, site] {
        let skip = fixture.shown(id).await["last_skip"].clone();
        let was_full = skips[usize::from(id == site)]["reason"] == "too_many";
        assert_eq!(skip["reason"], if was_full { "too_many" } else { "still_running" });
    }
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_fails_leaves_no_row_of_a_target_that_was_deleted() {
    let fixture = Fixture::new().await;
    let (kept, gone) = (fixture.application("kept").await, fixture.application("gone").await);
    let kinds = kinds(&fixture.directory, fixture.discovery.clone());
    let kind = kinds.iter().find(|kind| kind.name == "scheduled-run").unwrap();
    assert!(fixture.directory.applications().delete(fixture.organization, gone).await.unwrap());
    for (id, has_row) in [(kept, true), (gone, false)] {
        let records = fixture.jobs.records();
        let schedule = Target::Application(id).schedule_id(records, fixture.organization);
        let place = (Home::Records, schedule.shard());
        let mut attempts = records.attempts(place.0, place.1);
        let mut draft = attempts.next().await.unwrap().unwrap();
        let new = crate::run::new_job(fixture.organization, schedule, Target::Application(id)).unwrap();
        let job = fixture.jobs.enqueue(&mut draft, new).await.unwrap();
        assert!(attempts.commit(draft).await.unwrap());
        let listed = fixture.jobs.list(None, 100).await.unwrap();
        let job = listed.into_iter().find_map(|one| match one {
            jobs::Listed::Unfinished(one) if one.id == job => Some(one),
            _ => None,
        });
        let ending = jobs::Ending::failed("the cause");
        let mut attempts = records.attempts(place.0, place.1);
        let mut draft = attempts.next().await.unwrap().unwrap();
        kind.handler.fail(records, &job.unwrap(), &ending, &mut draft).await.unwrap();
        assert!(attempts.commit(draft).await.unwrap());
        let row: Option<Value> = records.row(place, RUNS, schedule.as_bytes()).await.unwrap();
        assert_eq!(row.is_some(), has_row, "{row:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn housekeeping_goes_on_behind_the_organizations_of_earlier_attempts() {
    // Each attempt has time for one organization.
    let hurried = |directory: &Arc<Directory>, kind: JobKind| match kind.name {
        repair::KIND => repair::kind_with(Arc::clone(directory), Duration::ZERO),
        _ => kind,
    };
    let fixture = Fixture::on(Arc::new(MemoryLedger::new()), hurried).await;
    schedule_housekeeping(&fixture.jobs).await.unwrap();
    let mut targets = Vec::new();
    for number in 0..4 {
        let organization = fixture.directory.create_organization(&format!("o{number}")).await.unwrap().id;
        let url = "https://shop.example.com/".to_owned();
        let new = NewApplication { id: None, name: "Shop".to_owned(), url, repository_id: None };
        let id = fixture.directory.create_application(organization, new).await.unwrap().id;
        let change = |row: &mut Application| {
            row.red_team.schedule = RedTeamSchedule::Daily;
            Ok(())
        };
        fixture.directory.applications().update(organization, id, change).await.unwrap();
        targets.push((organization, id));
    }
    fixture.work_at(fixture.clock.now().plus(Duration::from_secs(601))).await;
    for _ in 0..5 {
        fixture.work_at(fixture.clock.now().plus(Duration::from_secs(11))).await;
    }
    for (organization, id) in targets {
        let schedule = Target::Application(id).schedule_id(fixture.jobs.records(), organization);
        let scheduled = fixture.jobs.scheduled((Home::Records, schedule.shard()), schedule).await.unwrap();
        assert!(scheduled.is_some(), "{organization}");
    }
}
