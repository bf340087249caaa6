//! Wrong keys, tried as fast as they are refused.

use crate::abuse::attack_target::{AttackTarget, NDJSON};
use crate::abuse::seen::{Seen, crowd};

/// Connections that try.
const CONNECTIONS: usize = 8;

/// Successive wrong keys, all different, several requests on each connection.
pub(crate) async fn wrong_keys(target: AttackTarget) -> Seen {
    let on_each = target.many(2_500, 100);
    let mut seen = Seen::default();
    let tried = crowd(CONNECTIONS, CONNECTIONS, move |connection| {
        let target = target.clone();
        async move {
            let key = |number| format!("authorization: Bearer pal_live_{connection:08x}{number:032x}\r\n");
            let requests: String = (0..on_each).map(|number| request(&target, &key(number))).collect();
            target.send(requests.as_bytes()).await
        }
    })
    .await;
    for (statuses, times) in tried.outcomes {
        statuses.split(' ').for_each(|status| seen.add_times(status, times));
    }
    seen
}

/// Authorizations that are no keys at all.
pub(crate) async fn no_keys(target: AttackTarget) -> Seen {
    let authorizations = [
        String::new(),
        "authorization: Bearer\r\n".to_owned(),
        "authorization: Bearer \r\n".to_owned(),
        "authorization: Basic dXNlcjpwYXNz\r\n".to_owned(),
        format!("authorization: Bearer {}\r\n", "x".repeat(30_000)),
        "authorization: Bearer pal_live_\u{e9}\r\n".to_owned(),
        "authorization: Bearer pal_live_' OR 1=1 --\r\n".to_owned(),
    ];
    target.send_each(authorizations.map(|authorization| request(&target, &authorization))).await
}

/// An ingestion request with an authorization, which may be empty.
fn request(target: &AttackTarget, authorization: &str) -> String {
    format!(
        "POST {} HTTP/1.1\r\nhost: palisade\r\n{authorization}content-type: {NDJSON}\r\ncontent-length: 2\r\n\r\n{{}}",
        target.path
    )
}
