//! The description of a resource that is listed.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::hash::Hash;

use common::ids::OrganizationId;
use ledger::LedgerId;
use serde::de::DeserializeOwned;

/// A resource that is listed: the keys of its heads, and the parts of a head that an index keeps.
pub trait Listed: 'static {
    /// Name of the resource in the plural, as a label of metrics.
    const NAME: &'static str;
    /// Id of a resource, which tells its shard.
    type Id: Copy + Debug + Eq + Hash + Ord + Send + Sync;
    /// The row of a resource in the ledger, of kind [`ledger::Kind::Head`].
    type Head: DeserializeOwned + Send + Sync;
    /// Columns that filters compare: small, and apart from the row, so that a scan reads little memory. Texts are numbers of
    /// [`Self::Values`].
    type Facets: Copy + Debug + Send + Sync;
    /// Texts and ids that many resources of an organization share, usually a [`Dictionary`](crate::Dictionary) for each column.
    type Values: Default + Debug + Send + Sync;
    /// The part of a head that a list shows.
    type Row: Debug + Send + Sync;
    /// Data of an organization that the resource keeps as long as its index is loaded, for example names of other resources.
    type Beside: Default + Send + Sync;

    /// The ledger of a shard.
    fn ledger(shard: u16) -> LedgerId;
    /// The shard of an id.
    fn shard(id: Self::Id) -> u16;
    /// Prefix of the keys of an organization's heads.
    fn prefix(organization: OrganizationId) -> Vec<u8>;
    /// Key of a head.
    fn key(organization: OrganizationId, id: Self::Id) -> Vec<u8>;
    /// The organization and id in the key of a head; `None` for heads of other resources.
    fn parse_key(key: &[u8]) -> Option<(OrganizationId, Self::Id)>;

    /// The organization and id that a head states.
    fn identity(head: &Self::Head) -> (OrganizationId, Self::Id);
    /// Whether the resource is in lists at all.
    fn is_listed(_head: &Self::Head) -> bool {
        true
    }
    /// Milliseconds since 1970 of the last activity, which is the order of the index.
    fn activity_millis(head: &Self::Head) -> i64;
    /// Milliseconds since 1970 of the creation.
    fn created_millis(head: &Self::Head) -> i64;
    /// Columns and row of a head; texts are numbered in `values`.
    fn facets(head: &Self::Head, values: &mut Self::Values) -> (Self::Facets, Self::Row);
    /// Texts in which a searched text is looked for; within the mebibyte of a commit, like all of a head.
    fn texts(head: &Self::Head) -> Vec<&str>;
    /// Number of values in all dictionaries, those that no resource has any more included.
    fn values_count(_values: &Self::Values) -> usize {
        0
    }
    /// Bytes on the heap of a row.
    fn row_bytes(row: &Self::Row) -> usize;
}

/// The position of a resource in the order of the index: newest activity first, then id descending. By whole milliseconds,
/// since those are shown and could be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place<Id> {
    activity_millis: Reverse<i64>,
    id: Reverse<Id>,
}

impl<Id: Copy> Place<Id> {
    pub(crate) fn new(activity_millis: i64, id: Id) -> Self {
        Self { activity_millis: Reverse(activity_millis), id: Reverse(id) }
    }

    /// Milliseconds since 1970 of the last activity.
    pub fn activity_millis(&self) -> i64 {
        self.activity_millis.0
    }

    /// The resource.
    pub fn id(&self) -> Id {
        self.id.0
    }
}
