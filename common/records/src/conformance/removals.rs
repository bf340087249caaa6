//! Deleted records.

use super::{Note, Stage};
use crate::Change;

pub(super) async fn a_removal_leaves_a_tombstone(stage: Stage) {
    let (id, beside) = (stage.id("a", 1), stage.id("a", 2));
    let change = Change::put(stage.note(id, 1)).detail("large".to_owned()).history("made".to_owned());
    stage.put(change.state(b"identity", &"present").expect("it is JSON")).await;
    stage.put(Change::put(stage.note(beside, 2)).history("stays".to_owned())).await;
    let (records, organization) = (&stage.records, stage.organization);
    let (mut attempts, mut draft) = stage.begin(id.shard()).await;
    let removal =
        records.removal::<Note>(organization, id).await.expect("it can be read").expect("it is there");
    assert_eq!(removal.head, stage.note(id, 1));
    let change = Change::delete(removal).state(b"identity", &"deleted").expect("it is JSON");
    draft.add(change.event(stage.event("deleted"))).expect("it is allowed");
    assert!(attempts.commit(draft).await.expect("it is allowed"));

    assert_eq!(stage.get(id).await, None);
    assert_eq!(records.detail::<Note>(organization, id).await.expect("it can be read"), None);
    assert_eq!(records.history::<Note>(organization, id, None, 10).await.expect("it can be read"), []);
    let tombstone = records.state::<Note, String>(organization, id.shard(), b"identity").await;
    assert_eq!(tombstone.expect("it can be read").as_deref(), Some("deleted"));
    assert_eq!(stage.outbox(id.shard()).await, [stage.event("deleted")]);
    assert!(records.removal::<Note>(organization, id).await.expect("it can be read").is_none());
    assert_eq!(stage.get(beside).await, Some(stage.note(beside, 2)));
    let stays = records.history::<Note>(organization, beside, None, 10).await.expect("it can be read");
    assert_eq!(stays.len(), 1);
}

pub(super) async fn a_long_history_is_removed(stage: Stage) {
    let id = stage.id("a", 1);
    for _ in 0..4 {
        let mut change = Change::put(stage.note(id, 1));
        for entry in 0..200 {
            change = change.history(format!("{entry}"));
        }
        stage.put(change).await;
    }
    let mut attempts = stage.records.attempts(crate::Home::Records, id.shard());
    let mut removed = false;
    while let Some(mut draft) = attempts.next().await.expect("it can be asked") {
        let removal = stage.records.removal::<Note>(stage.organization, id).await.expect("it can be read");
        draft.add(Change::delete(removal.expect("it is there until then"))).expect("it is allowed");
        removed = attempts.commit(draft).await.expect("it is allowed");
        if removed {
            break;
        }
    }
    assert!(removed, "an attempt lost to its own preparation is made again");
    assert_eq!(stage.get(id).await, None);
    let left = stage.records.history::<Note>(stage.organization, id, None, 10).await.expect("it can be read");
    assert_eq!(left, []);
}
