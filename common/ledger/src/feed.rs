//! The change feed: encoding of the row that each commit writes, and conversion of a run of them
//! into the changes since a commit. The same for every implementation.

use std::collections::HashSet;
use std::ops::ControlFlow;

use bytes::{BufMut, Bytes, BytesMut};

use crate::{Changes, Kind, LedgerId, MAX_CHANGES, MAX_CHANGES_BYTES, Op, Seq};

/// Default number of commits in a ledger's feed. A reader that polls every 250 ms a ledger that is
/// committed to four times a second may be away for a quarter of an hour before it has to reload; the
/// rows cost a few hundred bytes each.
pub(crate) const DEFAULT_COMMITS: u32 = 4096;

/// The same for ledgers without a follower, and the seconds that a store with expiry keeps their rows. Commits of
/// statistics touch every source with traffic: 4,096 of them would name each source as often.
const UNFOLLOWED_COMMITS: u32 = 16;
#[cfg(feature = "cql")]
const UNFOLLOWED_SECONDS: u32 = 60;

/// The layout of a feed row's body, its first byte.
const FORMAT: u8 = 1;

/// The key of a commit's feed row: big-endian, so that the order of keys is the order of commits.
pub(crate) fn key(seq: Seq) -> [u8; 8] {
    seq.0.to_be_bytes()
}

/// The commit whose feed row has this key.
pub(crate) fn seq_of(key: &[u8]) -> Option<Seq> {
    key.try_into().ok().map(|bytes| Seq(u64::from_be_bytes(bytes)))
}

/// Number of commits in the feed of this ledger, which is `commits` unless the ledger has no follower.
pub(crate) fn kept_commits(ledger: LedgerId, commits: u32) -> u32 {
    if is_followed(ledger) { commits } else { commits.min(UNFOLLOWED_COMMITS) }
}

/// The same in seconds.
#[cfg(feature = "cql")]
pub(crate) fn kept_seconds(ledger: LedgerId, seconds: u32) -> u32 {
    if is_followed(ledger) { seconds } else { seconds.min(UNFOLLOWED_SECONDS) }
}

fn is_followed(ledger: LedgerId) -> bool {
    !matches!(ledger, LedgerId::Statistics(_))
}

/// The last commit whose feed row is deleted once `seq` is reached.
pub(crate) fn expired_through(seq: Seq, commits: u32) -> Seq {
    Seq(seq.0.saturating_sub(u64::from(commits)))
}

/// The body of a commit's feed row: each row it touched once, in the order of the operations.
pub(crate) fn body(ops: &[Op]) -> Bytes {
    let mut body = BytesMut::new();
    body.put_u8(FORMAT);
    let mut seen = HashSet::with_capacity(ops.len());
    for op in ops {
        let (Op::Put { kind, key, .. } | Op::Delete { kind, key }) = op;
        if !seen.insert((*kind, key)) {
            continue;
        }
        body.put_u8(kind.number());
        // Keys have at most 1,024 bytes, see `bounds`.
        body.put_u16(u16::try_from(key.len()).unwrap_or(u16::MAX));
        body.put_slice(key);
    }
    body.freeze()
}

/// The rows named by the body of a feed row; `None` when it was not written by [`body`].
fn touched(body: &Bytes) -> Option<Vec<(Kind, Bytes)>> {
    let mut rest = match body.first() {
        Some(&FORMAT) => body.slice(1..),
        _ => return None,
    };
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let [kind, high, low] = *rest.first_chunk::<3>()?;
        let end = 3 + usize::from(u16::from_be_bytes([high, low]));
        if rest.len() < end {
            return None;
        }
        rows.push((Kind::from_number(kind)?, rest.slice(3..end)));
        rest = rest.slice(end..);
    }
    Some(rows)
}

/// Reads feed rows in their order and becomes the answer.
#[derive(Debug)]
pub(crate) struct Follow {
    /// The ledger's sequence number, read in the same snapshot as the feed rows.
    current: Seq,
    /// The last commit reported.
    reached: Seq,
    rows: Vec<(Kind, Bytes)>,
    seen: HashSet<(Kind, Bytes)>,
    bytes: usize,
    broken: bool,
}

impl Follow {
    /// Continues after `after` in a ledger whose sequence number is `current`.
    pub(crate) fn new(after: Seq, current: Seq) -> Self {
        Self {
            current,
            reached: after,
            rows: Vec::new(),
            seen: HashSet::new(),
            bytes: 0,
            broken: after > current,
        }
    }

    /// The last commit worth reading in this call.
    pub(crate) fn through(&self) -> Seq {
        Seq(self.reached.0.saturating_add(MAX_CHANGES as u64).min(self.current.0))
    }

    /// Takes the next feed row; breaks when no more are wanted.
    pub(crate) fn push(&mut self, seq: Seq, body: &Bytes) -> ControlFlow<()> {
        let expected = self.reached.0.saturating_add(1);
        let Some(rows) = touched(body).filter(|_| seq.0 == expected) else {
            self.broken = true;
            return ControlFlow::Break(());
        };
        self.reached = seq;
        for row in rows {
            if self.seen.insert(row.clone()) {
                self.bytes = self.bytes.saturating_add(row.1.len());
                self.rows.push(row);
            }
        }
        if self.bytes >= MAX_CHANGES_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The answer, once every feed row through [`Follow::through`] was pushed, or `push` broke.
    pub(crate) fn finish(self, after: Seq) -> Changes {
        // No change reported although there are some: the row after `after` has expired.
        let missing = self.reached == after && self.current > after;
        if self.broken || missing {
            return Changes::Gap { seq: self.current };
        }
        Changes::Touched { seq: self.reached, rows: self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(kind: Kind, key: &[u8]) -> Op {
        Op::Put { kind, key: Bytes::copy_from_slice(key), body: Bytes::new() }
    }

    #[test]
    fn a_body_names_each_row_once_in_order() {
        let ops = [put(Kind::State, b"b"), put(Kind::Head, b"a"), put(Kind::State, b"b")];
        let rows = touched(&body(&ops)).unwrap();
        assert_eq!(rows, [(Kind::State, Bytes::from_static(b"b")), (Kind::Head, Bytes::from_static(b"a"))]);
    }

    #[test]
    fn what_cannot_be_read_is_a_gap_and_never_nothing() {
        let good = body(&[put(Kind::Head, b"abc")]);
        for bad in [Bytes::new(), Bytes::from_static(b"\x02"), good.slice(..good.len() - 1)] {
            let mut follow = Follow::new(Seq(4), Seq(5));
            assert_eq!(follow.push(Seq(5), &bad), ControlFlow::Break(()));
            assert_eq!(follow.finish(Seq(4)), Changes::Gap { seq: Seq(5) });
        }
    }

    #[test]
    fn a_call_stops_at_the_commit_that_fills_it() {
        let key_bytes = 1000;
        let per_commit = 1000;
        let commits = MAX_CHANGES_BYTES.div_ceil(key_bytes * per_commit) as u64;
        let mut follow = Follow::new(Seq(0), Seq(commits + 10));
        for seq in 1..=commits {
            let ops: Vec<Op> = (0..per_commit)
                .map(|row| put(Kind::Head, format!("{seq:0>500}{row:0>500}").as_bytes()))
                .collect();
            let flow = follow.push(Seq(seq), &body(&ops));
            assert_eq!(flow.is_break(), seq == commits);
        }
        assert!(matches!(follow.finish(Seq(0)), Changes::Touched { seq, .. } if seq.0 == commits));
    }
}
