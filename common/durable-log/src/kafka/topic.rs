//! The topic: made with the settings under which an acknowledgement means something, or checked for
//! them.

use std::collections::HashMap;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{
    AdminClient, AdminOptions, ConfigResource, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::metadata::MetadataTopic;
use rdkafka::types::RDKafkaRespErr;

use super::client::{ENVELOPE_BYTES, Reporting};
use super::config::Config;
use super::error::OpenError;

/// How often a new topic is looked for, and how long apart: brokers learn of it one after the other.
const LOOKS: u32 = 50;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

type Admin = AdminClient<Reporting>;

/// The shape of a topic, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shape {
    partitions: usize,
    /// Replicas of the partition that has the fewest.
    replicas: usize,
    /// Whether every partition has a leader.
    led: bool,
}

/// Makes the topic where there is none and that is allowed, and sees to it that it is as it must be.
pub(super) async fn ensure(client: &ClientConfig, config: &Config) -> Result<(), OpenError> {
    let admin = Admin::from_config_and_context(client, Reporting)
        .map_err(OpenError::kafka("start the admin client"))?;
    let (admin, found) = shape(admin, config).await?;
    let (admin, shape) = match found {
        Some(shape) => (admin, shape),
        None if !config.create_topic => return Err(OpenError::NoTopic { topic: config.topic.clone() }),
        None => {
            create(&admin, config).await?;
            await_topic(admin, config).await?
        }
    };
    let settings = settings(&admin, config).await?;
    let mut faults = shape_faults(&shape, config);
    faults.extend(setting_faults(&settings, config));
    if faults.is_empty() {
        return Ok(());
    }
    Err(OpenError::WrongTopic { topic: config.topic.clone(), faults: faults.join("; ") })
}

async fn create(admin: &Admin, config: &Config) -> Result<(), OpenError> {
    let replicas = TopicReplication::Fixed(config.replication_factor.into());
    let settings = [
        ("min.insync.replicas", config.min_insync_replicas.to_string()),
        ("max.message.bytes", largest_message(config).to_string()),
        ("retention.ms", (u64::from(config.retention_hours) * 3_600_000).to_string()),
        ("cleanup.policy", "delete".to_owned()),
        ("unclean.leader.election.enable", "false".to_owned()),
        ("message.timestamp.type", "LogAppendTime".to_owned()),
    ];
    let mut topic = NewTopic::new(&config.topic, config.partitions.into(), replicas);
    for (name, value) in &settings {
        topic = topic.set(name, value);
    }
    let options = AdminOptions::new().operation_timeout(Some(timeout(config)));
    let results =
        admin.create_topics([&topic], &options).await.map_err(OpenError::kafka("make the topic"))?;
    match results.into_iter().next() {
        // Another process was faster: it is checked like any other.
        Some(Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(()),
        Some(Err((_, code))) => {
            Err(OpenError::NotCreated { topic: config.topic.clone(), cause: code.to_string() })
        }
        None => Err(OpenError::NotCreated {
            topic: config.topic.clone(),
            cause: "Kafka answered without a result".to_owned(),
        }),
    }
}

async fn await_topic(admin: Admin, config: &Config) -> Result<(Admin, Shape), OpenError> {
    let mut admin = admin;
    for _ in 0..LOOKS {
        let (same, found) = shape(admin, config).await?;
        admin = same;
        if let Some(shape) = found.filter(|shape| shape.led) {
            return Ok((admin, shape));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    let cause = "it was made, but its partitions have no leaders".to_owned();
    Err(OpenError::NotCreated { topic: config.topic.clone(), cause })
}

/// Asks for the shape of the topic, none where there is no such topic. Takes the client along to
/// where waiting holds up nothing else.
async fn shape(admin: Admin, config: &Config) -> Result<(Admin, Option<Shape>), OpenError> {
    let (topic, timeout) = (config.topic.clone(), timeout(config));
    let asking = tokio::task::spawn_blocking(move || {
        let found = admin.inner().fetch_metadata(Some(&topic), timeout);
        (admin, found.map(|metadata| metadata.topics().first().and_then(shape_of)))
    });
    let (admin, found) =
        asking.await.map_err(|_| KafkaError::Canceled).map_err(OpenError::kafka("ask for the topic"))?;
    Ok((admin, found.map_err(OpenError::kafka("ask for the topic"))?))
}

fn shape_of(topic: &MetadataTopic) -> Option<Shape> {
    let unknown = RDKafkaRespErr::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if topic.error() == Some(unknown) || topic.partitions().is_empty() {
        return None;
    }
    let partitions = topic.partitions();
    Some(Shape {
        partitions: partitions.len(),
        replicas: partitions.iter().map(|partition| partition.replicas().len()).min().unwrap_or(0),
        led: partitions.iter().all(|partition| partition.leader() >= 0),
    })
}

async fn settings(admin: &Admin, config: &Config) -> Result<HashMap<String, String>, OpenError> {
    let asking = "ask for the settings of the topic";
    let options = AdminOptions::new().request_timeout(Some(timeout(config)));
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

fn shape_faults(shape: &Shape, config: &Config) -> Vec<String> {
    let mut faults = Vec::new();
    if shape.partitions != usize::from(config.partitions) {
        faults.push(format!(
            "it has {} partitions, {} are configured, and the number is fixed for the life of a log",
            shape.partitions, config.partitions
        ));
    }
    if shape.replicas < usize::from(config.replication_factor) {
        faults.push(format!(
            "a partition has {} replicas, expected at least {}",
            shape.replicas, config.replication_factor
        ));
    }
    faults
}

fn setting_faults(settings: &HashMap<String, String>, config: &Config) -> Vec<String> {
    let found = |name: &str| settings.get(name).map_or("not told", String::as_str);
    let mut faults = Vec::new();
    for (name, least) in [
        ("min.insync.replicas", u64::from(config.min_insync_replicas)),
        ("max.message.bytes", largest_message(config)),
    ] {
        let found = found(name);
        if found.parse::<u64>().is_ok_and(|found| found >= least) {
            continue;
        }
        faults.push(format!("{name} is {found}, expected at least {least}"));
    }
    for (name, expected, why) in [
        ("cleanup.policy", "delete", "compaction keeps one batch of a source only"),
        ("unclean.leader.election.enable", "false", "an election could lose what was acknowledged"),
    ] {
        let found = found(name);
        if found != expected {
            faults.push(format!("{name} is {found}, expected {expected}: {why}"));
        }
    }
    faults
}

/// Bytes of the largest message the topic must take.
fn largest_message(config: &Config) -> u64 {
    config.max_batch_bytes + ENVELOPE_BYTES
}

fn timeout(config: &Config) -> Duration {
    Duration::from_millis(config.request_timeout_milliseconds.into())
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
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    #[test]
    fn a_right_topic_has_no_faults() {
        let shape = Shape { partitions: 64, replicas: 3, led: true };
        assert_eq!(shape_faults(&shape, &Config::default()), [""; 0]);
        assert_eq!(setting_faults(&right(), &Config::default()), [""; 0]);
    }

    #[test]
    fn every_fault_is_said_with_what_was_expected() {
        let shape = Shape { partitions: 63, replicas: 2, led: true };
        let faults = shape_faults(&shape, &Config::default()).join("; ");
        assert!(faults.contains("63 partitions, 64 are configured"), "{faults}");
        assert!(faults.contains("2 replicas, expected at least 3"), "{faults}");
        for (name, value, expected) in [
            ("min.insync.replicas", "1", "min.insync.replicas is 1, expected at least 2"),
            ("max.message.bytes", "1048588", "max.message.bytes is 1048588, expected at least 67174400"),
            ("cleanup.policy", "compact,delete", "expected delete"),
            ("unclean.leader.election.enable", "true", "expected false"),
        ] {
            let mut settings = right();
            settings.insert(name.to_owned(), value.to_owned());
            let faults = setting_faults(&settings, &Config::default());
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].contains(expected), "{faults:?}");
        }
        assert_eq!(
            setting_faults(&HashMap::new(), &Config::default()).len(),
            4,
            "what is not told is no proof"
        );
    }
}
