//! The phases of a run, with the behaviour of the hostile organization in each. Its rules are in *rules*; the
//! distribution of requests over connections is in *flood*.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::flood::{Flood, Order};
use super::rules::{self, Shape};
use super::tenant::Tenant;
use loadtest::api::{ApiError, SOURCES, logs_path};
use loadtest::client::Content;
use loadtest::forms::{Form, Line};

/// Path of the organization's rules.
const RULES: &str = "/api/v1/detection-rules";
const WEBHOOKS: &str = "/api/v1/webhooks";
/// Sources of the hostile organization in the phases that send records, so that its records reach many partitions.
const HOSTILE_SOURCES: usize = 8;
/// Narrow keys of the hostile organization: each has a rate limit of its own.
const NARROW_KEYS: usize = 6;
/// The same if another key of the organization is a victim: together they stay within the organization's rate limit,
/// so that only idempotency keys are exhausted.
const NARROW_KEYS_BESIDE_A_VICTIM: usize = 3;
/// Rules with permitted expressions that are as expensive as their limits allow.
const EXPENSIVE_RULES: u64 = 12;
/// Rules of large compiled size that are created, at most.
const LARGE_RULES: u64 = 12;
/// Interval of hostile records: some 4 MB per second is far below an organization's limit.
const RECORD_PAUSE: Duration = Duration::from_millis(250);
/// Concurrent look-ups: more than a runtime has threads for blocking work.
const LOOK_UPS_AT_ONCE: u32 = 640;

/// Behaviour of the hostile organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hostility {
    /// None: the baseline of the others.
    Quiet,
    /// Regular expressions that cost as much as the limits allow, and records that they are slow on.
    Expressions,
    /// Rules whose compiled form is large.
    LargeRules,
    /// Many organizations with one small rule each.
    SmallRules,
    /// Webhook addresses whose name servers are silent.
    LookUps,
    /// Rule checks in parallel.
    RuleChecks,
    /// Thousands of idempotency keys, from API keys with one scope.
    IdempotencyKeys,
}

impl Hostility {
    /// Every phase, in order.
    pub(crate) const ALL: [Self; 7] = [
        Self::Quiet,
        Self::Expressions,
        Self::LargeRules,
        Self::SmallRules,
        Self::LookUps,
        Self::RuleChecks,
        Self::IdempotencyKeys,
    ];

    /// The phase's name in reports and for `--only`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Expressions => "expressions",
            Self::LargeRules => "large rules",
            Self::SmallRules => "small rules",
            Self::LookUps => "look-ups",
            Self::RuleChecks => "rule checks",
            Self::IdempotencyKeys => "idempotency keys",
        }
    }

    /// Whether another key of the hostile organization is a victim, too.
    pub(crate) fn has_victim_within(self) -> bool {
        self == Self::IdempotencyKeys
    }

    /// The one scope of the hostile organization's narrow keys; `None` if it needs none.
    fn scope(self) -> Option<&'static str> {
        match self {
            Self::Quiet | Self::SmallRules => None,
            Self::Expressions | Self::LargeRules | Self::RuleChecks => Some("rules:write"),
            Self::LookUps => Some("webhooks:write"),
            Self::IdempotencyKeys => Some("sources:write"),
        }
    }
}

/// The hostile organization, ready to begin.
pub(crate) struct Hostile {
    pub(crate) hostility: Hostility,
    tenant: Tenant,
    /// Keys with one scope.
    narrow: Vec<String>,
    /// Organizations with one small rule each.
    small: Vec<Tenant>,
    pub(crate) flood: Flood,
    seed: u64,
}

impl Hostile {
    /// Creates its narrow keys.
    ///
    /// # Errors
    /// The answer of the server if a key was refused.
    pub(crate) async fn prepare(
        hostility: Hostility,
        tenant: Tenant,
        small: Vec<Tenant>,
        flood: Flood,
        seed: u64,
    ) -> Result<Self, ApiError> {
        let mut narrow = Vec::new();
        if let Some(scope) = hostility.scope() {
            let keys = if hostility.has_victim_within() { NARROW_KEYS_BESIDE_A_VICTIM } else { NARROW_KEYS };
            for _ in 0..keys {
                narrow.push(tenant.narrow_key(&[scope]).await?);
            }
        }
        Ok(Self { hostility, tenant, narrow, small, flood, seed })
    }

    /// Attacks until everything is sent; the caller ends it after its time.
    pub(crate) async fn attack(&self) {
        match self.hostility {
            Hostility::Quiet => {}
            Hostility::Expressions => self.rules_and_records(EXPENSIVE_RULES, 2, Shape::Slow).await,
            Hostility::LargeRules => self.rules_and_records(LARGE_RULES, 4, Shape::Large).await,
            Hostility::SmallRules => self.small_rules().await,
            Hostility::LookUps => self.look_ups().await,
            Hostility::RuleChecks => self.rule_checks().await,
            Hostility::IdempotencyKeys => self.idempotency_keys().await,
        }
    }

    async fn rules_and_records(&self, count: u64, connections: u32, shape: Shape) {
        let rules = self.flood.run(count, connections, |number| self.create_rule(number, shape));
        // Concurrently: a rule is in force for records accepted some seconds later.
        tokio::join!(rules, self.records());
    }

    /// Records of random `a` and `b` at every source in turn, until the end of the phase.
    async fn records(&self) {
        let mut sources = self.tenant.sources.clone();
        for number in sources.len()..HOSTILE_SOURCES {
            match self.tenant.create_source(number).await {
                Ok(source) => sources.push(source),
                Err(refusal) => self.flood.note(refusal.to_string()),
            }
        }
        let mut chance = StdRng::seed_from_u64(self.seed);
        let most = usize::try_from(self.flood.most).unwrap_or(usize::MAX);
        for source in sources.iter().cycle().take(most) {
            let message: String = (0..self.flood.record_bytes)
                .map(|_| if chance.random::<bool>() { 'a' } else { 'b' })
                .collect();
            self.flood.send(record(&self.tenant, source, message)).await;
            tokio::time::sleep(RECORD_PAUSE).await;
        }
    }

    /// One rule for each of the small organizations, and a record that loads it.
    async fn small_rules(&self) {
        let count = u64::try_from(self.small.len()).unwrap_or(u64::MAX);
        self.flood.run(count, 4, |number| self.small_rule(number)).await;
        // A rule is in force for records accepted some seconds later.
        loop {
            self.flood.run(count, 4, |number| self.small_record(number)).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    fn small_rule(&self, number: u64) -> Order {
        let tenant = self.small_tenant(number);
        let yaml = rules::yaml(Shape::Small, number, self.seed);
        let content = Content::json(&json!({ "yaml": yaml }));
        Order { key: tenant.key.clone(), path: RULES.to_owned(), content }
    }

    fn small_record(&self, number: u64) -> Order {
        let tenant = self.small_tenant(number);
        let source = tenant.sources.first().map_or("", String::as_str);
        record(tenant, source, "a record that the small rule does not match".to_owned())
    }

    fn small_tenant(&self, number: u64) -> &Tenant {
        let index = usize::try_from(number).unwrap_or_default() % self.small.len().max(1);
        self.small.get(index).unwrap_or(&self.tenant)
    }

    async fn look_ups(&self) {
        let order = |number| {
            let url = format!("https://{number}.silent.test/hook");
            self.narrow(number, WEBHOOKS, json!({"name": format!("hook {number}"), "url": url}), None)
        };
        self.flood.run(self.flood.most, LOOK_UPS_AT_ONCE, order).await;
    }

    async fn rule_checks(&self) {
        let order = |number| self.create_rule(number, Shape::Laborious);
        self.flood.run(self.flood.most, self.flood.connections, order).await;
    }

    /// One request at a time for each key: concurrent ones would be refused as concurrent writes of one organization.
    async fn idempotency_keys(&self) {
        let order = |number| {
            let body = json!({"name": format!("source {number}")});
            self.narrow(number, SOURCES, body, Some(format!("idempotency-{number}")))
        };
        self.flood.run(self.flood.most, u32::try_from(self.narrow.len()).unwrap_or(1), order).await;
    }

    fn create_rule(&self, number: u64, shape: Shape) -> Order {
        self.narrow(number, RULES, json!({"yaml": rules::yaml(shape, number, self.seed)}), None)
    }

    /// A creation with one of the narrow keys.
    fn narrow(&self, number: u64, path: &str, body: Value, idempotency_key: Option<String>) -> Order {
        let index = usize::try_from(number).unwrap_or_default() % self.narrow.len().max(1);
        Order {
            key: self.narrow.get(index).cloned().unwrap_or_default(),
            path: path.to_owned(),
            content: Content { idempotency_key, ..Content::json(&body) },
        }
    }
}

fn record(tenant: &Tenant, source: &str, message: String) -> Order {
    let line =
        Line { time_ms: tenant.clock.now_ms(), host: "bastion-1".to_owned(), program: "sshd", message };
    let content = Content::new(Form::Ndjson.media_type(), Form::Ndjson.body(&[line], false));
    Order { key: tenant.key.clone(), path: logs_path(source), content }
}
