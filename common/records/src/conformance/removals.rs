//! Deleted records.

use super::{Note, Stage};
use crate::{Change, Draft, Removing};

pub(super) async fn a_removal_leaves_a_tombstone(stage: Stage) {
    let (id, beside) = (stage.id("a", 1), stage.id("a", 2));
    let change = Change::put(stage.note(id, 1)).detail("large".to_owned()).history("made".to_owned());
    stage.put(change.state(b"identity", &"present").expect("it is JSON")).await;
    stage.put(Change::put(stage.note(beside, 2)).history("stays".to_owned())).await;
    let (records, organization) = (&stage.records, stage.organization);
    let (mut attempts, mut draft) = stage.begin(id.shard()).await;
    let removing = records.removal::<Note>(&mut draft, organization, id).await.expect("it can be read");
    let Some(Removing::Whole(removal)) = removing else { panic!("it is there, with a short history") };
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
    let (_, mut draft) = stage.begin(id.shard()).await;
    assert!(records.removal::<Note>(&mut draft, organization, id).await.expect("it can be read").is_none());
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
    let entries = async || {
        let history = stage.records.history::<Note>(stage.organization, id, None, 1_000).await;
        history.expect("it can be read").len()
    };
    let prepare = async |draft: &mut Draft| {
        let removing = stage.records.removal::<Note>(draft, stage.organization, id).await;
        removing.expect("it can be read").expect("it is there until then")
    };
    let (mut late, mut draft) = stage.begin(id.shard()).await;
    assert!(matches!(prepare(&mut draft).await, Removing::Shortened));
    stage.put(Change::put(stage.note(id, 2))).await;
    assert!(!late.commit(draft).await.expect("it is allowed"), "another commit came first");
    assert_eq!(entries().await, 800, "nothing goes outside the commit");
    let mut left = Vec::new();
    loop {
        let (mut attempts, mut draft) = stage.begin(id.shard()).await;
        let removing = prepare(&mut draft).await;
        let is_whole = matches!(removing, Removing::Whole(_));
        if let Removing::Whole(removal) = removing {
            draft.add(Change::delete(removal)).expect("it is allowed");
        }
        assert!(attempts.commit(draft).await.expect("it is allowed"), "nobody else commits");
        left.push(entries().await);
        if is_whole {
            break;
        }
    }
    assert_eq!((left.len(), left.last()), (4, Some(&0)), "{left:?}");
    assert_eq!(stage.get(id).await, None);
}
