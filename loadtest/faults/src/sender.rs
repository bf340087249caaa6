//! A sender: sends one attack after the other, like a log shipper. It sends unacknowledged batches
//! again, byte for byte the same; sometimes it gives up, or repeats an acknowledged batch.

use std::collections::VecDeque;
use std::time::Duration;

use http::Method;
use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, Interval};

use crate::account::{Account, Fate};
use crate::tally::{Outcome, Tally};
use crate::traffic::{Attack, BATCH_SIZES, BATCHES};
use loadtest::api::{SOURCES, logs_path};
use loadtest::client::{Client, Content};
use loadtest::clock::{WallClock, turns};
use loadtest::forms::Form;

/// Attacks sent to one source. A server opens 200 separate incidents per source and hour;
/// further findings join one. Below that, every attack has its own incident. Few enough
/// that sources are created all the time, and the server is killed while creating one.
const ATTACKS_PER_SOURCE: u32 = 25;
/// Pause before a batch is sent again, milliseconds: long enough not to race the server's start, short
/// enough that the first requests reach a server that has just started. `Retry-After` is ignored:
/// impatient senders are the harder case.
const RETRY_PAUSE_MS: std::ops::Range<u64> = 10..80;
/// One in this many batches whose acknowledgement was lost is given up.
const GIVEN_UP: u32 = 6;
/// One in this many acknowledged batches is sent again, as if the acknowledgement had been lost.
const REPEATED: u32 = 12;
/// One in this many batches carries no `Idempotency-Key` and is recognised by its body alone.
const WITHOUT_KEY: u32 = 3;
/// A creation that was interrupted by a kill is refused as still running for a minute; then it must
/// succeed, or return the earlier result, as if nothing had happened.
const STILL_RUNNING: Duration = Duration::from_secs(65);

/// A participant of a run: its client, its share of the account, and its random choices.
pub(crate) struct Participant {
    pub(crate) client: Client,
    pub(crate) account: Account,
    pub(crate) tally: Tally,
    pub(crate) chance: StdRng,
}

/// A running sender.
pub(crate) struct Sender {
    number: u32,
    own: Participant,
    clock: WallClock,
    pace: Interval,
    sources_opened: u32,
    source: Option<OpenSource>,
    /// Names of sources whose creation was refused as still running, and since when. A few per kill.
    unfinished: VecDeque<(String, Instant)>,
}

struct OpenSource {
    id: String,
    attacks_left: u32,
}

impl Sender {
    /// Starts at most `rate` batches per second; those that could not be sent while the server was down are not made
    /// up for.
    pub(crate) fn new(number: u32, own: Participant, clock: WallClock, rate: u32) -> Self {
        let pace = turns(Duration::from_secs(1) / rate.max(1));
        Self { number, own, clock, pace, sources_opened: 0, source: None, unfinished: VecDeque::new() }
    }

    /// Sends until stopped.
    pub(crate) async fn run(mut self, stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let Some(source) = self.source(&stop).await else { return };
            let attack = self.own.account.lock().begin(&source, self.clock.now_ms());
            for batch in 0..BATCHES {
                self.pace.tick().await;
                self.deliver(&source, &attack, batch, &stop).await;
            }
        }
    }

    /// Sends the first batch of one more attack to a source: the last that the source is sent, so that
    /// everything before it has been analysed once its incident exists.
    pub(crate) async fn mark(&mut self, source: &str, stop: &watch::Receiver<bool>) -> Attack {
        let attack = self.own.account.lock().begin(source, self.clock.now_ms());
        self.deliver(source, &attack, 0, stop).await;
        attack
    }

    async fn deliver(&mut self, source: &str, attack: &Attack, batch: usize, stop: &watch::Receiver<bool>) {
        let path = logs_path(source);
        let content = self.content(attack, batch);
        let mut sent_before = false;
        while !*stop.borrow() {
            if sent_before {
                self.own.tally.count(|counts| counts.repeated += 1);
            }
            let begun = Instant::now();
            let result = self.own.client.exchange(Method::POST, &path, content.clone()).await;
            match self.own.tally.judge("a batch", 200, result) {
                Outcome::Done(_) => {
                    self.acknowledged(attack, batch, begun.elapsed());
                    return self.repeat_perhaps(&path, content).await;
                }
                Outcome::Unreachable => {}
                Outcome::Wrong => return self.own.account.lock().settle(attack, batch, Fate::Unknown),
                Outcome::Unknown => {
                    self.own.account.lock().settle(attack, batch, Fate::Unknown);
                    sent_before = true;
                    if self.own.chance.random_ratio(1, GIVEN_UP) {
                        return self.own.tally.count(|counts| counts.given_up += 1);
                    }
                }
            }
            self.pause().await;
        }
    }

    fn content(&mut self, attack: &Attack, batch: usize) -> Content {
        let chance = &mut self.own.chance;
        let form = Form::ALL.get(chance.random_range(0..Form::ALL.len())).copied().unwrap_or(Form::Protobuf);
        let gzip = chance.random();
        let keyed = !chance.random_ratio(1, WITHOUT_KEY);
        let idempotency_key = keyed.then(|| format!("attack-{}-batch-{batch}", attack.number));
        Content { media_type: form.media_type(), gzip, idempotency_key, body: attack.body(batch, form, gzip) }
    }

    fn acknowledged(&self, attack: &Attack, batch: usize, took: Duration) {
        self.own.account.lock().settle(attack, batch, Fate::Acknowledged);
        self.own.tally.count(|counts| {
            counts.acknowledged.add(took);
            counts.records += BATCH_SIZES.get(batch).copied().unwrap_or_default();
        });
    }

    async fn repeat_perhaps(&mut self, path: &str, content: Content) {
        if self.own.chance.random_ratio(1, REPEATED) {
            self.own.tally.count(|counts| counts.repeated += 1);
            let result = self.own.client.exchange(Method::POST, path, content).await;
            // It was acknowledged before, so the result is irrelevant.
            self.own.tally.judge("a repeated batch", 200, result);
        }
    }

    /// The source to send to; a new one when the old one has reached its number of attacks. `None` when stopped.
    async fn source(&mut self, stop: &watch::Receiver<bool>) -> Option<String> {
        if let Some(source) = self.source.as_mut().filter(|source| source.attacks_left > 0) {
            source.attacks_left -= 1;
            return Some(source.id.clone());
        }
        while !*stop.borrow() {
            let name = self.next_name();
            if let Some(id) = self.open(&name, stop).await {
                self.own.account.lock().opened(&name, Some(&id));
                self.source = Some(OpenSource { id: id.clone(), attacks_left: ATTACKS_PER_SOURCE - 1 });
                return Some(id);
            }
        }
        None
    }

    /// The name of a source whose creation has waited long enough, else a new one.
    fn next_name(&mut self) -> String {
        let may_go_on = |(_, since): &mut (String, Instant)| since.elapsed() >= STILL_RUNNING;
        if let Some((name, _)) = self.unfinished.pop_front_if(may_go_on) {
            return name;
        }
        self.sources_opened += 1;
        let name = format!("sender {} source {}", self.number, self.sources_opened);
        self.own.account.lock().opened(&name, None);
        name
    }

    /// Creates a source, with an idempotency key so that it exists once despite repeated requests. `None` when
    /// stopped, or refused for now.
    async fn open(&mut self, name: &str, stop: &watch::Receiver<bool>) -> Option<String> {
        let key = Some(name.replace(' ', "-"));
        let content = Content { idempotency_key: key, ..Content::json(&json!({"name": name})) };
        while !*stop.borrow() {
            let result = self.own.client.exchange(Method::POST, SOURCES, content.clone()).await;
            if result.as_ref().is_ok_and(|answer| answer.status == 409) {
                self.own.tally.count(|counts| counts.unfinished += 1);
                self.unfinished.push_back((name.to_owned(), Instant::now()));
                return None;
            }
            match self.own.tally.judge("the creation of a source", 201, result) {
                Outcome::Done(answer) => return answer.json()["id"].as_str().map(str::to_owned),
                Outcome::Wrong | Outcome::Unreachable | Outcome::Unknown => self.pause().await,
            }
        }
        None
    }

    async fn pause(&mut self) {
        let pause = self.own.chance.random_range(RETRY_PAUSE_MS);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}
