//! Size of each member's share, and the partitions that a member takes. Pure.

use std::collections::BTreeSet;

use common::partition::Partition;

use crate::member::{MemberId, Members};

/// Partitions that `me` should hold, given those it holds and all other living members: keeps its own up
/// to its share, and takes free ones up to it.
pub(crate) fn target(
    me: MemberId,
    held: &BTreeSet<Partition>,
    living: &Members,
    partitions: u16,
) -> BTreeSet<Partition> {
    let quota = quota(me, living, partitions);
    let mut target: BTreeSet<Partition> =
        held.iter().copied().filter(|partition| partition.0 < partitions).take(quota).collect();
    let others = living.iter().filter(|(id, _)| **id != me);
    let taken: BTreeSet<Partition> = others
        .flat_map(|(_, member)| member.partitions.iter().copied())
        .chain(held.iter().copied())
        .collect();
    let free = (0..partitions).map(Partition).filter(|partition| !taken.contains(partition));
    let room = quota.saturating_sub(target.len());
    target.extend(free.take(room));
    target
}

/// Number of partitions in the share of `me`. Those that remain after an even division go to the first
/// members, so that all members compute the same result, and the shares add up to all partitions.
fn quota(me: MemberId, living: &Members, partitions: u16) -> usize {
    let before = living.keys().filter(|id| **id < me).count();
    let members = living.keys().filter(|id| **id != me).count() + 1;
    let (even, rest) = (usize::from(partitions) / members, usize::from(partitions) % members);
    even + usize::from(before < rest)
}
