//! Assets in the index: columns that filters compare. A list reads the rows of its page from the ledger.

use common::ids::{ApplicationId, RecordId};
use index::{ListedRecord, Match, Needle, OrganizationIndex, Page, Part, Scan};

use super::asset::{Asset, AssetScope, AssetState, AssetType};

/// Columns of an asset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facets {
    application: ApplicationId,
    kind: AssetType,
    scope: AssetScope,
    state: AssetState,
}

/// Filter of a list of the assets of an application; `None` does not narrow it.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) application: ApplicationId,
    pub(crate) kind: Option<AssetType>,
    pub(crate) scope: Option<AssetScope>,
    pub(crate) state: Option<AssetState>,
    /// Literal text, in any case, of the value.
    pub(crate) text: Option<String>,
}

impl ListedRecord for Asset {
    const PLURAL: &'static str = "assets";
    type Facets = Facets;
    type Values = ();
    /// The id.
    type Row = RecordId;

    /// Lists show the assets that were found last first.
    fn activity_millis(&self) -> i64 {
        self.first_seen_at.as_millis()
    }

    fn created_millis(&self) -> i64 {
        self.first_seen_at.as_millis()
    }

    fn facets(&self, (): &mut ()) -> (Facets, RecordId) {
        let Self { application, kind, scope, state, .. } = *self;
        (Facets { application, kind, scope, state }, self.id)
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.value]
    }

    fn row_bytes(_row: &RecordId) -> usize {
        0
    }
}

/// A part of the assets that match, and how many match in all.
pub(crate) fn list(index: &OrganizationIndex<Asset>, filter: &Filter, part: Part) -> Page<Asset> {
    let needle = filter.text.as_deref().map(Needle::new);
    let scan = Scan { needle: needle.as_ref(), ..Scan::default() };
    let matches = |item: &index::Item<'_, Asset>| {
        let facets = item.facets;
        let is_asked_for = facets.application == filter.application
            && filter.kind.is_none_or(|kind| kind == facets.kind)
            && filter.scope.is_none_or(|scope| scope == facets.scope)
            && filter.state.is_none_or(|state| state == facets.state);
        match &filter.text {
            _ if !is_asked_for => Match::No,
            Some(_) => Match::IfText,
            None => Match::Yes,
        }
    };
    index::by_activity(index, &scan, matches, part)
}
