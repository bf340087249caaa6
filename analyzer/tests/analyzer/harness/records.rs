//! Records and deliveries as senders make them, and the batches that ingestion makes of those.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;

/// When everything begins.
pub(crate) const START: Timestamp = Timestamp(1_700_000_040_000_000_000);

/// So many seconds after the start.
pub(crate) fn at(seconds: u64) -> Timestamp {
    START.plus(Duration::from_secs(seconds))
}

/// One log record.
#[derive(Clone, Default)]
pub(crate) struct Line {
    body: String,
    time: Option<Timestamp>,
    attributes: Vec<(String, String)>,
}

/// In one line: a failed assertion shows dozens of them.
impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = self.time.map(|time| time.since(START).as_secs());
        write!(f, "{} at {second:?}", self.body)
    }
}

impl Line {
    pub(crate) fn new(body: impl Into<String>) -> Self {
        Self { body: body.into(), ..Self::default() }
    }

    /// A password that SSH refused.
    pub(crate) fn failed(user: &str, address: &str) -> Self {
        Self::new(format!("Failed password for {user} from {address} port 4242 ssh2"))
    }

    /// A password that SSH took.
    pub(crate) fn accepted(user: &str, address: &str) -> Self {
        Self::new(format!("Accepted password for {user} from {address} port 4242 ssh2"))
    }

    /// Something that the rule for this sign matches.
    pub(crate) fn sign(sign: &str, address: &str) -> Self {
        Self::new(format!("{sign} of {address}")).with("sign", sign).with("client.address", address)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.attributes.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn uid(self, id: impl Into<String>) -> Self {
        self.with("log.record.uid", id)
    }

    pub(crate) fn at(mut self, seconds: u64) -> Self {
        self.time = Some(at(seconds));
        self
    }

    fn record(&self) -> LogRecord {
        let text = |text: &str| Some(AnyValue { value: Some(Value::StringValue(text.to_owned())) });
        let attribute = |(name, value): &(String, String)| KeyValue {
            key: name.clone(),
            value: text(value),
            ..KeyValue::default()
        };
        LogRecord {
            time_unix_nano: self.time.map_or(0, |time| u64::try_from(time.0).unwrap()),
            body: text(&self.body),
            attributes: self.attributes.iter().map(attribute).collect(),
            ..LogRecord::default()
        }
    }
}

/// One delivery: the records that a sender sends at once, and the time of acceptance.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) lines: Vec<Line>,
    received_at: Timestamp,
    key: Option<[u8; 32]>,
    organization: OrganizationId,
    source: u8,
    tick: bool,
    payload: Option<Bytes>,
}

impl Delivery {
    /// Lines accepted so many seconds after the start.
    pub(crate) fn new(seconds: u64, lines: impl IntoIterator<Item = Line>) -> Self {
        let lines = lines.into_iter().collect();
        Self {
            lines,
            received_at: at(seconds),
            key: None,
            organization: OrganizationId::from_bytes([9; 16]),
            source: 1,
            tick: false,
            payload: None,
        }
    }

    /// A message that states only that time has passed.
    pub(crate) fn tick(seconds: u64) -> Self {
        Self { tick: true, ..Self::new(seconds, []) }
    }

    pub(crate) fn keyed(self, key: u8) -> Self {
        Self { key: Some([key; 32]), ..self }
    }

    pub(crate) fn of_organization(self, organization: u8) -> Self {
        self.of(OrganizationId::from_bytes([organization; 16]))
    }

    pub(crate) fn of(self, organization: OrganizationId) -> Self {
        Self { organization, ..self }
    }

    pub(crate) fn of_source(self, source: u8) -> Self {
        Self { source, ..self }
    }

    /// Sends these bytes in the place of the lines.
    pub(crate) fn raw(self, payload: Vec<u8>) -> Self {
        Self { payload: Some(payload.into()), ..self }
    }

    pub(crate) fn encoded(&self) -> Vec<u8> {
        let log_records = self.lines.iter().map(Line::record).collect();
        let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
        let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
        ExportLogsServiceRequest { resource_logs }.encode_to_vec()
    }

    pub(crate) fn batch(&self) -> Batch {
        let payload = match (&self.payload, self.tick) {
            (Some(payload), _) => payload.clone(),
            (None, true) => Bytes::new(),
            (None, false) => self.encoded().into(),
        };
        let headers = BatchHeaders {
            organization: self.organization,
            source: SourceId::from_bytes([self.source; 16]),
            application_group: "shop".to_owned(),
            environment: "production".to_owned(),
            received_at: self.received_at,
            digest: Pepper::new([3; 32]).hash("body", &[&payload]),
            idempotency: self.key,
            every_record_timed: !self.tick && self.lines.iter().all(|line| line.time.is_some()),
            record_count: u32::try_from(self.lines.len()).unwrap(),
            tick: self.tick,
            fingerprints: common::fingerprint::Fingerprints::default(),
        };
        Batch { headers, payload }
    }
}
