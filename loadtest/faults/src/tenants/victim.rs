//! A victim: an organization that sends ordinary records and attacks, reads its incidents, and uses the API like its
//! operators, while another organization is hostile.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::journal::{Journal, Kind, entities};
use super::rules::{self, Shape};
use super::tenant::Tenant;
use crate::traffic::Attack;
use loadtest::api::{ApiError, Call, INCIDENTS, SOURCES, logs_path};
use loadtest::client::{Answer, Client, Content};
use loadtest::clock::turns;
use loadtest::forms::Form;
use loadtest::load::template::{Stamp, Template};

/// Longest wait for an answer: exporters of OpenTelemetry give up after ten seconds by default.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval of reading the incidents while an attack waits for its own: the resolution of detection latency. Ten per
/// second are the default limit of a key.
const LOOK_EVERY: Duration = Duration::from_millis(110);
/// Interval of the uses of the API.
const USE_EVERY: Duration = Duration::from_millis(400);
/// Ordinary records in a request.
const BATCH: usize = 50;
/// Attacks of a victim in a phase, at most: a source has an incident for each of 200 attackers in an hour.
const MOST_ATTACKS: u32 = 300;
const ORGANIZATION: &str = "/api/v1/organization";
const POLICIES: &str = "/api/v1/monitoring-policies";
const RULES: &str = "/api/v1/detection-rules";
const WEBHOOKS: &str = "/api/v1/webhooks";

/// Activities of a victim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// Attacks a second.
    pub(crate) attacks: f64,
    /// Ordinary records a second.
    pub(crate) ordinary: u32,
    /// Whether it creates webhooks, which needs a name server that knows their names.
    pub(crate) webhooks: bool,
    /// Whether it creates rules: not within the hostile organization, whose own writes they conflict with.
    pub(crate) rules: bool,
}

/// A victim.
#[derive(Clone)]
pub(crate) struct Victim {
    pub(crate) tenant: Tenant,
    pub(crate) journal: Arc<Journal>,
    habits: Habits,
    watching: String,
    working: String,
    seed: u64,
}

impl Victim {
    /// Creates its keys: one that reads incidents, and one for everything else.
    ///
    /// # Errors
    /// The answer of the server if a key was refused.
    pub(crate) async fn prepare(tenant: Tenant, habits: Habits, seed: u64) -> Result<Self, ApiError> {
        let watching = tenant.narrow_key(&["incidents:read"]).await?;
        let scopes = [
            "incidents:read",
            "organization:read",
            "sources:read",
            "sources:write",
            "policies:write",
            "rules:write",
            "webhooks:write",
        ];
        let working = tenant.narrow_key(&scopes).await?;
        Ok(Self { tenant, journal: Arc::default(), habits, watching, working, seed })
    }

    /// Performs all activities until `over`; it reads its incidents as long as the tasks are kept.
    pub(crate) fn begin(&self, over: &watch::Receiver<bool>, tasks: &mut JoinSet<()>) {
        let (victim, told) = (self.clone(), over.clone());
        tasks.spawn(async move { victim.attack(told).await });
        let (victim, mut over) = (self.clone(), over.clone());
        tasks.spawn(async move {
            tokio::select! {
                ((), ()) = async { tokio::join!(victim.send_ordinary(), victim.use_api()) } => {}
                // An error means that the sending side was dropped.
                _ = over.wait_for(|over| *over) => {}
            }
        });
        let victim = self.clone();
        tasks.spawn(async move { victim.look().await });
    }

    /// Attacks at a steady rate, each on its own connection, so that a slow answer delays no other. Those in flight
    /// at the end are completed: within the patience of a client.
    async fn attack(&self, mut over: watch::Receiver<bool>) {
        let mut turns = turns(Duration::from_secs_f64(1.0 / self.habits.attacks));
        let mut under_way = JoinSet::new();
        for number in 0..MOST_ATTACKS {
            tokio::select! {
                _ = turns.tick() => {}
                // An error means that the sending side was dropped.
                _ = over.wait_for(|over| *over) => break,
            }
            while under_way.try_join_next().is_some() {}
            let victim = self.clone();
            under_way.spawn(async move { victim.attack_once(number).await });
        }
        while under_way.join_next().await.is_some() {}
    }

    async fn attack_once(&self, number: u32) {
        let attack = Attack::new(number, self.tenant.clock.now_ms());
        let body = attack.body(0, Form::Ndjson, false);
        let address = attack.address();
        self.journal.sends(address.clone());
        let source = self.tenant.sources.get(number as usize % self.tenant.sources.len().max(1));
        let source = source.map_or("", String::as_str);
        if self.ingest(&mut self.client(&self.tenant.key), source, Form::Ndjson, body).await {
            self.journal.acknowledged(&address);
        }
    }

    async fn send_ordinary(&self) {
        if self.habits.ordinary == 0 {
            return;
        }
        let mut chance = StdRng::seed_from_u64(self.seed);
        let template = Template::ordinary(&mut chance, BATCH);
        let mut turns = turns(Duration::from_secs(1) * BATCH as u32 / self.habits.ordinary);
        let mut client = self.client(&self.tenant.key);
        for source in self.tenant.sources.iter().cycle() {
            turns.tick().await;
            let stamp = Stamp { now_ms: self.tenant.clock.now_ms(), first_id: chance.random(), attacker: 0 };
            self.ingest(&mut client, source, template.form, template.body(&stamp)).await;
        }
    }

    async fn ingest(&self, client: &mut Client, source: &str, form: Form, body: Bytes) -> bool {
        let (path, content) = (logs_path(source), Content::new(form.media_type(), body));
        self.ask(client, Kind::Ingest, Call::ingest(&path, content)).await.is_some()
    }

    /// Reads the newest incidents while an attack waits for its own, and the one that waits longest, which may
    /// not be among the newest.
    async fn look(&self) {
        let mut turns = turns(LOOK_EVERY);
        let mut client = self.client(&self.watching);
        let mut is_turn_of_oldest = false;
        loop {
            turns.tick().await;
            let Some(oldest) = self.journal.oldest() else { continue };
            let filter = if is_turn_of_oldest { format!("&q={oldest}") } else { String::new() };
            is_turn_of_oldest = !is_turn_of_oldest && self.journal.unseen_seconds() > 2.0;
            let path = format!("{INCIDENTS}?limit=100{filter}");
            if let Some(answer) = self.ask(&mut client, Kind::Api, Call::get(&path)).await {
                self.journal.sees(entities(&answer.json()));
            }
        }
    }

    /// Reads, and creates and deletes one of each, in turn.
    async fn use_api(&self) {
        let mut turns = turns(USE_EVERY);
        let mut client = self.client(&self.working);
        for number in 0_u64.. {
            turns.tick().await;
            match number % 8 {
                0 | 4 => {
                    self.ask(&mut client, Kind::Api, Call::get(ORGANIZATION)).await;
                }
                2 | 6 => {
                    self.ask(&mut client, Kind::Api, Call::get(SOURCES)).await;
                }
                1 => {
                    let policy = json!({"name": format!("policy {number}"), "minimum_severity": "high"});
                    self.create_and_delete(&mut client, (Kind::Api, POLICIES), &policy).await;
                }
                3 if self.habits.rules => {
                    let yaml = rules::yaml(Shape::Small, number, self.seed);
                    self.create_and_delete(&mut client, (Kind::RuleCheck, RULES), &json!({ "yaml": yaml }))
                        .await;
                }
                5 if self.habits.webhooks => {
                    let url = format!("https://{number}.receiver.test/hook");
                    let webhook = json!({"name": format!("hook {number}"), "url": url});
                    self.create_and_delete(&mut client, (Kind::Api, WEBHOOKS), &webhook).await;
                }
                _ => self.repeat(&mut client, number).await,
            }
        }
    }

    async fn create_and_delete(&self, client: &mut Client, (kind, path): (Kind, &str), body: &Value) {
        let created = self.ask(client, kind, Call::create(path, body)).await;
        if let Some(id) = created.and_then(|answer| answer.json()["id"].as_str().map(str::to_owned)) {
            self.ask(client, Kind::Api, Call::delete(&format!("{path}/{id}"))).await;
        }
    }

    /// Creates a source with an idempotency key, twice: the second answer is that of the first.
    async fn repeat(&self, client: &mut Client, number: u64) {
        let body = json!({"name": format!("repeated {number}")});
        let mut ids = Vec::new();
        for _ in 0..2 {
            let call = Call::create(SOURCES, &body).keyed(format!("victim-{number}"));
            let answer = self.ask(client, Kind::Api, call).await;
            ids.extend(answer.map(|answer| answer.json()["id"].clone()));
        }
        if let [first, second] = ids.as_slice()
            && first != second
        {
            self.journal.complain(format!("an idempotency key was forgotten: sources {first} and {second}"));
        }
    }

    async fn ask(&self, client: &mut Client, kind: Kind, call: Call<'_>) -> Option<Answer> {
        let begun = Instant::now();
        let result = call.exchange(client).await;
        self.journal.note(kind, &call, begun, result)
    }

    fn client(&self, key: &str) -> Client {
        let mut client = Client::new(self.tenant.address, key);
        client.be_patient_for(PATIENCE);
        client
    }
}
