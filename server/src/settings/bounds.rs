//! Validation of settings: bounds of those that their components do not check, and conditions between
//! several.

use process::settings::{OutOfBounds, within};

use super::Settings;

/// Most attempts of a delivery after the first: the number that its log keeps.
const MAX_RETRIES: usize = 15;
/// Most name servers: the limit of `/etc/resolv.conf`.
const MAX_NAME_SERVERS: usize = 3;
/// Longest wait between two attempts: a week.
const MAX_RETRY_SECONDS: u64 = 7 * 24 * 3_600;

impl Settings {
    /// Checks the settings, each by itself and all together.
    ///
    /// # Errors
    /// [`OutOfBounds`], which names the first invalid one.
    pub(super) fn check(&self) -> Result<(), OutOfBounds> {
        if self.roles.is_empty() {
            return Err(OutOfBounds::new(
                "roles",
                "empty",
                "at least one of ingest, analyzer, api and worker",
            ));
        }
        if let Some(url) = self.public_url.as_deref().filter(|url| !is_origin(url)) {
            return Err(OutOfBounds::new("public_url", url, "an address like https://palisade.example"));
        }
        within("api.requests_per_minute", &self.api.requests_per_minute, &(1..=u32::MAX))?;
        let of_organization = &self.api.organization_requests_per_minute;
        within("api.organization_requests_per_minute", of_organization, &(1..=u32::MAX))?;
        let (of_all, of_one) =
            (self.api.idempotency_keys_per_organization, self.api.idempotency_keys_per_api_key);
        within("api.idempotency_keys_per_organization", &of_all, &(1..=10_000_000))?;
        within("api.idempotency_keys_per_api_key", &of_one, &(1..=10_000_000))?;
        within("guard.requests_per_minute", &self.guard.requests_per_minute, &(1..=u32::MAX))?;
        let of_organization = &self.guard.organization_requests_per_minute;
        within("guard.organization_requests_per_minute", of_organization, &(1..=u32::MAX))?;
        within("applications.requests_per_minute", &self.applications.requests_per_minute, &(1..=60_000))?;
        within("api.index.poll_milliseconds", &self.api.index.poll_milliseconds, &(1..=60_000))?;
        if self.kafka.is_some() != self.cql.is_some() {
            return Err(OutOfBounds::new(
                "kafka and cql",
                "one of them",
                "both or neither, for example PALISADE__KAFKA__BROKERS=kafka-1:9092 and \
                 PALISADE__CQL__NODES='[\"scylla-1:9042\"]'",
            ));
        }
        if let Some(kafka) = &self.kafka {
            let least = self.ingest.limits.batch_bytes + durable_log::kafka_config::HEADERS_BYTES;
            within("kafka.max_batch_bytes", &kafka.max_batch_bytes, &(least..=u64::MAX))?;
        }
        within("worker.poll_milliseconds", &self.worker.poll_milliseconds, &(1..=60_000))?;
        within("worker.heavy_slots", &self.worker.heavy_slots, &(1..=1_000))?;
        within("worker.light_slots", &self.worker.light_slots, &(1..=10_000))?;
        let ownership = &self.ownership;
        within("ownership.beat_milliseconds", &ownership.beat_milliseconds, &(100..=60_000))?;
        let leases = ownership.shortest_lease_milliseconds()..=3_600_000;
        within("ownership.lease_milliseconds", &ownership.lease_milliseconds, &leases)?;
        self.rules.check()?;
        check_webhooks(&self.webhooks)?;
        check_outbound(&self.outbound)?;
        check_registries(&self.registries)?;
        self.listen.check()?;
        self.ingest.check()
    }
}

fn check_webhooks(webhooks: &deliver::Config) -> Result<(), OutOfBounds> {
    within("webhooks.poll_milliseconds", &webhooks.poll_milliseconds, &(1..=60_000))?;
    within("webhooks.retry_seconds (entries)", &webhooks.retry_seconds.len(), &(0..=MAX_RETRIES))?;
    for seconds in &webhooks.retry_seconds {
        within("webhooks.retry_seconds", seconds, &(1..=MAX_RETRY_SECONDS))?;
    }
    within("webhooks.jitter_percent", &webhooks.jitter_percent, &(0..=50))?;
    // One for failing targets and one for the others.
    within("webhooks.concurrency", &webhooks.concurrency, &(2..=65_536))?;
    within("webhooks.target_concurrency", &webhooks.target_concurrency, &(1..=webhooks.concurrency))?;
    within("webhooks.target_backlog", &webhooks.target_backlog, &(1..=1_000_000))?;
    within("webhooks.backlog", &webhooks.backlog, &(1..=10_000_000))?;
    within("webhooks.disable_after_hours", &webhooks.disable_after_hours, &(12..=24 * 365))?;
    within("webhooks.retention_days", &webhooks.retention_days, &(1..=3_650))?;
    within("webhooks.kept_deliveries", &webhooks.kept_deliveries, &(1_000..=u64::MAX))
}

fn check_outbound(outbound: &outbound::Config) -> Result<(), OutOfBounds> {
    within("outbound.name_servers (entries)", &outbound.name_servers.len(), &(0..=MAX_NAME_SERVERS))?;
    within("outbound.resolve_timeout_ms", &outbound.resolve_timeout_ms, &(1..=60_000))?;
    within("outbound.connect_timeout_ms", &outbound.connect_timeout_ms, &(1..=60_000))?;
    within("outbound.timeout_ms", &outbound.timeout_ms, &(1..=120_000))?;
    within("outbound.idle_connections", &outbound.idle_connections, &(0..=1_024))
}

fn check_registries(registries: &registries::Config) -> Result<(), OutOfBounds> {
    let named = [
        ("registries.npm.url", &registries.npm),
        ("registries.pypi.url", &registries.pypi),
        ("registries.go.url", &registries.go),
        ("registries.rubygems.url", &registries.rubygems),
        ("registries.crates_index.url", &registries.crates_index),
        ("registries.crates_api.url", &registries.crates_api),
    ];
    for (name, registry) in named {
        if !is_base(&registry.url) {
            return Err(OutOfBounds::new(
                name,
                &registry.url,
                "an address like https://registry.example/npm",
            ));
        }
    }
    within("registries.metadata_bytes", &registries.metadata_bytes, &(1_024..=256 << 20))?;
    within("registries.archive_bytes", &registries.archive_bytes, &(1_024..=64 << 20))?;
    within("registries.metadata_timeout_ms", &registries.metadata_timeout_ms, &(1..=60_000))?;
    within("registries.archive_timeout_ms", &registries.archive_timeout_ms, &(1..=60_000))?;
    within("registries.cache_bytes", &registries.cache_bytes, &(0..=4 << 30))?;
    within("registries.cache_seconds", &registries.cache_seconds, &(0..=86_400))
}

/// Whether a text is a supported scheme, a host, and optionally a port and a path.
fn is_base(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else { return false };
    let spoken = matches!(uri.scheme_str(), Some("http" | "https"));
    spoken && uri.query().is_none() && uri.authority().is_some_and(|host| !host.as_str().contains('@'))
}

/// Whether a text is a supported scheme, a host and optionally a port, and nothing else.
fn is_origin(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else { return false };
    let spoken = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = uri.path_and_query().is_none_or(|path| path == "/");
    let host = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    spoken && bare && host
}
