//! Owners and members of groups in whatever order they are written.

use proptest::prelude::*;

use super::super::message_field;
use super::*;

/// A part of a group: its owner, or so many members.
#[derive(Clone, Debug)]
enum Written {
    Owner(u8),
    Members(usize),
}

fn parts() -> impl Strategy<Value = Vec<Written>> {
    let part = prop_oneof![any::<u8>().prop_map(Written::Owner), (0..3_usize).prop_map(Written::Members)];
    prop::collection::vec(part, 0..5)
}

/// A group, and the last owner in it.
fn group(parts: &[Written], member: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut bytes, mut last) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Written::Owner(name) => {
                last = vec![0x0a, 1, *name];
                bytes.extend(message_field(GROUP_OWNER, &last));
            }
            Written::Members(count) => {
                (0..*count).for_each(|_| bytes.extend(message_field(GROUP_MEMBERS, member)));
            }
        }
    }
    (bytes, last)
}

fn members(parts: &[Written]) -> usize {
    let count = |part: &Written| if let Written::Members(count) = part { *count } else { 0 };
    parts.iter().map(count).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_last_owner_owns_all_members(groups in prop::collection::vec((parts(), parts()), 0..4)) {
        let (mut payload, mut expected) = (Vec::new(), Vec::new());
        for (of_resource, of_scope) in &groups {
            let (scopes, scope) = group(of_scope, &[]);
            let (resources, resource) = group(of_resource, &scopes);
            payload.extend(message_field(REQUEST_RESOURCE_LOGS, &resources));
            let owners = (resource, scope);
            expected.extend((0..members(of_resource) * members(of_scope)).map(|_| owners.clone()));
        }
        let found: Vec<_> = records(&payload).map(|found| (found.resource.to_vec(), found.scope.to_vec())).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(records(&payload).map(|record| record.index as usize).eq(0..records(&payload).len()));
    }
}
