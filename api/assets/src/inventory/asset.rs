//! An asset, and the ids of an application's assets.

use common::digest::digest;
use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use common::words;
use records::{Record, Records};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use web::endpoints::{Route, Source};
use web::template::without_names;

/// Bytes of a hash that all ids of an application's assets have in common.
const COMMON_BYTES: usize = 6;

words!(
    /// Type of an asset.
    AssetType {
        /// The host of the application, or another one that a user included.
        Host = "host",
        /// Another name under the registrable domain of the application.
        Subdomain = "subdomain",
        /// Method and route.
        Endpoint = "endpoint",
        /// A product on a host.
        Technology = "technology",
        /// The certificate of a host.
        Certificate = "certificate",
    }
);

words!(
    /// Whether requests may be sent to an asset (specification, Inventory asset).
    AssetScope {
        /// It may be crawled and tested.
        Included = "included",
        /// A user excluded it: nothing is sent to it.
        Excluded = "excluded",
        /// No user included it: it is resolved and contacted by a TLS handshake only.
        Unverified = "unverified",
    }
);

words!(
    /// Whether an asset exists, as far as runs tell.
    AssetState {
        /// One of the last three complete runs found it.
        Active = "active",
        /// None of them did.
        Gone = "gone",
    }
);

/// An asset of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asset {
    /// Its id.
    pub id: RecordId,
    /// Owner.
    pub organization: OrganizationId,
    /// Its application.
    pub application: ApplicationId,
    /// Its type.
    pub kind: AssetType,
    /// Name of a host, method and route of an endpoint, name of a product.
    pub value: String,
    /// Name of its host.
    pub host: String,
    /// The asset that it belongs to: of a subdomain the host of the application, else its host.
    pub parent: Option<RecordId>,
    /// Its scope status.
    pub scope: AssetScope,
    /// Reason for the scope status: a word of the scope.
    pub scope_reason: String,
    /// Where it was found.
    pub sources: Vec<String>,
    /// Properties of its type.
    pub attributes: Map<String, Value>,
    /// Its state.
    pub state: AssetState,
    /// Complete runs in a row that did not find it.
    pub missed: u8,
    /// The last run that was applied to it, so that an attempt that repeats a part of the run changes nothing twice.
    pub run: RecordId,
    /// When it was found first.
    pub first_seen_at: Timestamp,
    /// When it was found last.
    pub last_seen_at: Timestamp,
}

impl Record for Asset {
    const NAME: &'static str = "asset";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// Ids of the inventory of one application. Those of its assets are adjacent, so that they are read as a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    pub(crate) organization: OrganizationId,
    pub(crate) application: ApplicationId,
    shard: Shard,
}

impl Ids {
    pub(crate) fn new(records: &Records, organization: OrganizationId, application: ApplicationId) -> Self {
        // The anchor of the schedule of the application, so that a slot and the run that it starts are one commit.
        let shard = records.shard(organization, application.as_bytes());
        Self { organization, application, shard }
    }

    /// The shard of everything.
    pub(crate) fn shard(&self) -> Shard {
        self.shard
    }

    /// The id of the inventory itself.
    pub(crate) fn inventory(&self) -> RecordId {
        RecordId::new(self.shard, &digest(&[b"inventory", self.application.as_bytes()]))
    }

    /// The id of an asset: of application, type and identity.
    pub(crate) fn asset(&self, kind: AssetType, identity: &str) -> RecordId {
        let own = digest(&[b"asset", kind.as_str().as_bytes(), identity.as_bytes()]);
        self.with_rest(|at| own.get(at).copied().unwrap_or_default())
    }

    /// The id of the endpoint that a GET of a URL calls.
    pub(crate) fn endpoint_of(&self, url: &Url) -> RecordId {
        let route = Route::of_url(url, Source::Link);
        self.asset(AssetType::Endpoint, &endpoint_identity(&route.method, &route.origin, &route.template))
    }

    /// A value in front of the ids of all assets, and the last of them.
    pub(crate) fn range(&self) -> (RecordId, RecordId) {
        (self.with_rest(|_| 0), self.with_rest(|_| u8::MAX))
    }

    fn with_rest(&self, rest: impl Fn(usize) -> u8) -> RecordId {
        let mut hash = digest(&[b"assets", self.application.as_bytes()]);
        hash.iter_mut().skip(COMMON_BYTES).enumerate().for_each(|(at, byte)| *byte = rest(at));
        RecordId::new(self.shard, &hash)
    }
}

/// Names of parameters differ between sources, and are not part of the identity.
pub(crate) fn endpoint_identity(method: &str, origin: &str, template: &str) -> String {
    format!("{method} {origin}{}", without_names(template))
}
