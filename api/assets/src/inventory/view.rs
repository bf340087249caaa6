//! Inventories as the API shows them.

use std::collections::BTreeMap;

use rest::openapi::word_of;
use rest::page::Pagination;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;

use super::asset::{Asset, AssetScope, AssetState, AssetType};
use super::coverage::{Coverage, SkipReason, Skipped, SkippedPart};
use super::run::{Inventory, InventoryRun, RunErrorCode, RunStatus};

pub(crate) fn kind() -> ObjectBuilder {
    word_of::<AssetType>("Type of the asset")
}

pub(crate) fn scope_status() -> ObjectBuilder {
    word_of::<AssetScope>(
        "Included assets are crawled and tested; unverified hosts are resolved and contacted by a TLS handshake only; nothing \
         is sent to excluded ones",
    )
}

pub(crate) fn state() -> ObjectBuilder {
    word_of::<AssetState>("`gone` after three complete runs in a row that did not find it")
}

fn run_status() -> ObjectBuilder {
    word_of::<RunStatus>("Status of the run")
}

fn error_code() -> ObjectBuilder {
    word_of::<RunErrorCode>("Reason why the run has no result")
}

fn part() -> ObjectBuilder {
    word_of::<SkippedPart>("The part that was not examined")
}

fn skip_reason() -> ObjectBuilder {
    word_of::<SkipReason>(
        "The reason why it was not examined. `plain_http`: http is sent only to networks in the setting \
         `outbound.allow_networks`. `address`: neither public nor in those networks, or a port that is not permitted. \
         `error_reply`: 429, 5xx, or 4xx of the first page",
    )
}

/// An asset of an application.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryAsset)]
pub(crate) struct AssetView {
    /// The asset's id.
    #[schema(format = Uuid)]
    id: String,
    /// `inventory_asset`.
    #[schema(example = "inventory_asset")]
    object: &'static str,
    /// Type.
    #[serde(rename = "type")]
    #[schema(schema_with = kind)]
    kind: &'static str,
    /// Name of a host, method and route of an endpoint, name of a product, host of a certificate.
    #[schema(example = "GET https://shop.example.com/items/{id}")]
    value: String,
    /// The asset that it belongs to: the host of an endpoint, technology or certificate; of a subdomain the host of the
    /// application.
    #[schema(required, format = Uuid)]
    parent_id: Option<String>,
    /// Scope status.
    #[schema(schema_with = scope_status)]
    scope_status: &'static str,
    /// Reason for the scope status, for example `same_domain`.
    scope_reason: String,
    /// Where it was found, for example `crawl`, `openapi`, `tls`, `dns`.
    sources: Vec<String>,
    /// Properties of its type.
    #[schema(value_type = Object)]
    attributes: Map<String, Value>,
    /// State.
    #[schema(schema_with = state)]
    state: &'static str,
    /// When it was found first.
    #[schema(format = DateTime)]
    first_seen_at: String,
    /// When it was found last.
    #[schema(format = DateTime)]
    last_seen_at: String,
}

impl From<Asset> for AssetView {
    fn from(asset: Asset) -> Self {
        Self {
            id: asset.id.to_string(),
            object: "inventory_asset",
            kind: asset.kind.as_str(),
            value: asset.value,
            parent_id: asset.parent.map(|parent| parent.to_string()),
            scope_status: asset.scope.as_str(),
            scope_reason: asset.scope_reason,
            sources: asset.sources,
            attributes: asset.attributes,
            state: asset.state.as_str(),
            first_seen_at: asset.first_seen_at.to_iso(),
            last_seen_at: asset.last_seen_at.to_iso(),
        }
    }
}

/// A discovery run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryRun)]
pub(crate) struct RunView {
    /// The run's id.
    #[schema(format = Uuid)]
    id: String,
    /// Status.
    #[schema(schema_with = run_status)]
    status: &'static str,
    /// When it began; null while it waits.
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    /// When it ended.
    #[schema(required, format = DateTime)]
    completed_at: Option<String>,
    /// Assets that were not known, or were gone.
    new: u64,
    /// Assets that are gone since.
    gone: u64,
    /// Assets with other properties than before.
    changed: u64,
    /// Coverage; null without a result.
    #[schema(required)]
    coverage: Option<CoverageView>,
    /// Reason why it has no result.
    #[schema(required)]
    error: Option<RunErrorView>,
}

/// Reason why a run has no result.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryRunError)]
pub(crate) struct RunErrorView {
    /// Code.
    #[schema(schema_with = error_code)]
    code: &'static str,
    /// Explanation.
    message: String,
}

/// Coverage of a run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryCoverage)]
pub(crate) struct CoverageView {
    /// Whether neither a failure nor a limit kept the run from anything that it was permitted to request.
    complete: bool,
    /// Parts that were not examined.
    skipped: Vec<SkippedView>,
    /// Numbers.
    counts: CountsView,
}

/// A part that was not examined.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventorySkipped)]
pub(crate) struct SkippedView {
    /// The part.
    #[schema(schema_with = part)]
    what: &'static str,
    /// The reason.
    #[schema(schema_with = skip_reason)]
    reason: &'static str,
    /// How many of them.
    count: u64,
    /// Explanation of the reason.
    message: &'static str,
}

/// Numbers of a run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryCoverageCounts)]
pub(crate) struct CountsView {
    /// Pages that were requested.
    pages: u64,
    /// Links that lead to no page.
    broken_links: u64,
    /// Hosts of other domains, which are only counted.
    foreign_hosts: u64,
    /// Questions to name servers.
    dns_questions: u64,
    /// TLS handshakes without a request.
    handshakes: u64,
}

impl From<InventoryRun> for RunView {
    fn from(run: InventoryRun) -> Self {
        Self {
            id: run.id.to_string(),
            status: run.status.as_str(),
            started_at: run.started_at.map(common::timestamp::Timestamp::to_iso),
            completed_at: run.completed_at.map(common::timestamp::Timestamp::to_iso),
            new: run.new,
            gone: run.gone,
            changed: run.changed,
            coverage: run.coverage.map(CoverageView::from),
            error: run.error.map(|error| RunErrorView { code: error.code.as_str(), message: error.message }),
        }
    }
}

impl From<Coverage> for CoverageView {
    fn from(coverage: Coverage) -> Self {
        let skipped = |one: Skipped| SkippedView {
            what: one.what.as_str(),
            reason: one.reason.as_str(),
            count: one.count,
            message: one.reason.message(),
        };
        let counts = coverage.counts;
        Self {
            complete: coverage.complete,
            skipped: coverage.skipped.into_iter().map(skipped).collect(),
            counts: CountsView {
                pages: counts.pages,
                broken_links: counts.broken_links,
                foreign_hosts: counts.foreign_hosts,
                dns_questions: counts.dns_questions,
                handshakes: counts.handshakes,
            },
        }
    }
}

/// Inventory of an application.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = InventorySummary)]
pub(crate) struct InventorySummary {
    /// Active assets by type.
    assets: BTreeMap<&'static str, u64>,
    /// The latest run; null if there was none.
    #[schema(required)]
    run: Option<RunView>,
}

impl InventorySummary {
    pub(crate) fn new(inventory: Option<Inventory>) -> Self {
        let assets = AssetType::ALL.map(|kind| {
            let count = inventory.as_ref().and_then(|inventory| inventory.assets.get(&kind));
            (kind.as_str(), count.copied().unwrap_or_default())
        });
        Self { assets: assets.into(), run: inventory.map(|inventory| inventory.run.into()) }
    }
}

/// A page of assets, and the latest run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Inventory)]
pub(crate) struct InventoryPage {
    /// Assets.
    pub(crate) data: Vec<AssetView>,
    /// Position of the page in the list.
    pub(crate) pagination: Pagination,
    /// The latest run; null if there was none.
    #[schema(required)]
    pub(crate) run: Option<RunView>,
}

/// A run that was requested.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InventoryRunRequested)]
pub(crate) struct RequestedView {
    /// The new run, or the one that is active.
    pub(crate) run: RunView,
}
