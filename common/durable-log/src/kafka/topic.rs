//! The topic: created with the settings that make an acknowledgement reliable, or checked for them.

use std::collections::HashMap;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{
    AdminClient, AdminOptions, ConfigResource, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use super::client::{ENVELOPE_BYTES, Reporting};
use super::error::OpenError;
use super::shape::{Inquirer, Shape};
use crate::kafka_config::{Config, setting};

/// Number of attempts to find a new topic, and the time between them: brokers learn of it one after the other.
const LOOKS: u32 = 50;
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// Milliseconds: with less, half of it is too short to notice the lag of analysis.
const LEAST_RETENTION: i64 = 3_600_000;

type Admin = AdminClient<Reporting>;

/// Creates the topic where it does not exist and that is allowed, and ensures that it is as
/// required. Returns the time that it keeps a batch, `None` for ever.
pub(super) async fn ensure(client: &ClientConfig, config: &Config) -> Result<Option<Duration>, OpenError> {
    let inquirer = Inquirer::new(client, config)?;
    let found = inquirer.shape().await?;
    let admin = Admin::from_config_and_context(client, Reporting)
        .map_err(OpenError::kafka("start the admin client"))?;
    let shape = match found {
        Some(shape) => shape,
        None if !config.create_topic => return Err(OpenError::NoTopic { topic: config.topic.clone() }),
        None => {
            create(&admin, config).await?;
            await_topic(&inquirer, config).await?
        }
    };
    let settings = settings(&admin, config).await?;
    let mut faults = shape.faults(config);
    faults.extend(setting_faults(&settings, config));
    let kept = retention(&settings).map_err(|fault| faults.push(fault)).unwrap_or_default();
    if faults.is_empty() {
        return Ok(kept);
    }
    Err(OpenError::WrongTopic { topic: config.topic.clone(), faults: faults.join("; ") })
}

async fn create(admin: &Admin, config: &Config) -> Result<(), OpenError> {
    let replicas = TopicReplication::Fixed(config.replication_factor.into());
    let settings = [
        ("min.insync.replicas", config.min_insync_replicas.to_string()),
        ("max.message.bytes", largest_message(config).to_string()),
        ("retention.ms", (u64::from(config.retention_hours) * 3_600_000).to_string()),
        ("retention.bytes", "-1".to_owned()),
        ("cleanup.policy", "delete".to_owned()),
        ("unclean.leader.election.enable", "false".to_owned()),
        ("message.timestamp.type", "LogAppendTime".to_owned()),
    ];
    let mut topic = NewTopic::new(&config.topic, config.partitions.into(), replicas);
    for (name, value) in &settings {
        topic = topic.set(name, value);
    }
    let options = AdminOptions::new().operation_timeout(Some(config.request_timeout()));
    let results =
        admin.create_topics([&topic], &options).await.map_err(OpenError::kafka("make the topic"))?;
    match results.into_iter().next() {
        // Another process was faster: it is checked like any other.
        Some(Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(()),
        Some(Err((_, code @ RDKafkaErrorCode::InvalidReplicationFactor))) => Err(OpenError::NotCreated {
            topic: config.topic.clone(),
            cause: format!(
                "{code}: {} is {}, which needs as many brokers",
                setting("replication_factor"),
                config.replication_factor
            ),
        }),
        Some(Err((_, code))) => {
            Err(OpenError::NotCreated { topic: config.topic.clone(), cause: code.to_string() })
        }
        None => Err(OpenError::NotCreated {
            topic: config.topic.clone(),
            cause: "Kafka answered without a result".to_owned(),
        }),
    }
}

async fn await_topic(inquirer: &Inquirer, config: &Config) -> Result<Shape, OpenError> {
    for _ in 0..LOOKS {
        if let Some(shape) = inquirer.shape().await?.filter(|shape| shape.led) {
            return Ok(shape);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    let cause = "it was created, but its partitions have no leaders".to_owned();
    Err(OpenError::NotCreated { topic: config.topic.clone(), cause })
}

async fn settings(admin: &Admin, config: &Config) -> Result<HashMap<String, String>, OpenError> {
    let asking = "ask for the settings of the topic";
    let options = AdminOptions::new().request_timeout(Some(config.request_timeout()));
    let topic = ResourceSpecifier::Topic(&config.topic);
    let described = admin.describe_configs([&topic], &options).await.map_err(OpenError::kafka(asking))?;
    let resource: ConfigResource = described
        .into_iter()
        .next()
        .unwrap_or(Err(RDKafkaErrorCode::UnknownTopicOrPartition))
        .map_err(|code| OpenError::kafka(asking)(KafkaError::AdminOp(code)))?;
    let entries = resource.entries.into_iter();
    Ok(entries.filter_map(|entry| Some((entry.name, entry.value?))).collect())
}

fn setting_faults(settings: &HashMap<String, String>, config: &Config) -> Vec<String> {
    let found = |name: &str| settings.get(name).map_or("not told", String::as_str);
    let mut faults = Vec::new();
    for (name, least, of) in [
        ("min.insync.replicas", u64::from(config.min_insync_replicas), "min_insync_replicas"),
        ("max.message.bytes", largest_message(config), "max_batch_bytes"),
    ] {
        let found = found(name);
        if found.parse::<u64>().is_ok_and(|found| found >= least) {
            continue;
        }
        faults.push(format!("{name} is {found}, expected at least {least} by {}", setting(of)));
    }
    for (name, expected, why) in [
        ("cleanup.policy", "delete", "compaction keeps one batch of a source only"),
        ("unclean.leader.election.enable", "false", "a leader election could lose acknowledged batches"),
        ("retention.bytes", "-1", "the backlog of the analysis is monitored by age, not by size"),
    ] {
        let found = found(name);
        if found != expected {
            faults.push(format!("{name} is {found}, expected {expected}: {why}"));
        }
    }
    faults
}

/// Time that the topic keeps a batch, `None` for ever; or the reason why that cannot be.
fn retention(settings: &HashMap<String, String>) -> Result<Option<Duration>, String> {
    let found = settings.get("retention.ms").map_or("not told", String::as_str);
    match found.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(milliseconds) if milliseconds >= LEAST_RETENTION => {
            Ok(Some(Duration::from_millis(milliseconds.unsigned_abs())))
        }
        _ => Err(format!("retention.ms is {found}, expected -1 or at least {LEAST_RETENTION}, an hour")),
    }
}

/// Required maximum message size of the topic, in bytes.
fn largest_message(config: &Config) -> u64 {
    config.max_batch_bytes + ENVELOPE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right() -> HashMap<String, String> {
        [
            ("min.insync.replicas", "2"),
            ("max.message.bytes", "68157440"),
            ("cleanup.policy", "delete"),
            ("unclean.leader.election.enable", "false"),
            ("retention.bytes", "-1"),
            ("retention.ms", "604800000"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    #[test]
    fn a_right_topic_has_no_faults() {
        assert_eq!(setting_faults(&right(), &Config::default()), [""; 0]);
        assert_eq!(retention(&right()), Ok(Some(Duration::from_secs(7 * 24 * 3600))));
    }

    #[test]
    fn every_fault_is_said_with_what_was_expected() {
        for (name, value, expected) in [
            ("min.insync.replicas", "1", "min.insync.replicas is 1, expected at least 2"),
            ("max.message.bytes", "1048588", "max.message.bytes is 1048588, expected at least 67174400"),
            ("cleanup.policy", "compact,delete", "expected delete"),
            ("unclean.leader.election.enable", "true", "expected false"),
            ("retention.bytes", "1073741824", "retention.bytes is 1073741824, expected -1"),
        ] {
            let mut settings = right();
            settings.insert(name.to_owned(), value.to_owned());
            let faults = setting_faults(&settings, &Config::default());
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].contains(expected), "{faults:?}");
        }
        assert_eq!(
            setting_faults(&HashMap::new(), &Config::default()).len(),
            5,
            "what is not told is no proof"
        );
    }

    #[test]
    fn a_retention_is_at_least_an_hour() {
        let found = |value: &str| retention(&[("retention.ms".to_owned(), value.to_owned())].into());
        assert_eq!(found("-1"), Ok(None));
        assert_eq!(found("3600000"), Ok(Some(Duration::from_secs(3600))));
        for wrong in ["3599999", "0", "-2", "", "soon"] {
            assert!(found(wrong).unwrap_err().contains("at least 3600000"), "{wrong}");
        }
        assert!(retention(&HashMap::new()).unwrap_err().contains("not told"));
    }
}
