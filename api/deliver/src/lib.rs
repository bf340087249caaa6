//! Events to webhook targets and telemetry endpoints: read from the outboxes of incidents and of records, wrapped, signed or
//! exported as OpenTelemetry logs, at least once, always the same under the same id; and what became of each. Which events
//! there are, and HTTP, lie elsewhere.
//!
//! The modules, in the order an event meets them.

mod config;
mod receivers;
mod vetting;
mod trial;
mod signing_secret;
mod target;
mod endpoint;
mod deliverer;
mod setbacks;
mod worker;
mod journal;
mod fan_out;
mod envelope;
mod payload_store;
mod open_events;
mod queue;
mod attempt;
mod post;
mod signature;
mod export;
mod otlp;
mod verdict;
mod health;
mod delivery;
mod delivery_log;
mod redelivery;
mod rows;

pub use config::Config;
pub use deliverer::{Deliverer, Parts};
pub use delivery::{Attempt, Delivery, DeliveryId, DeliveryStatus, MAX_ATTEMPTS_KEPT, NotADeliveryId};
pub use delivery_log::{
    DeliveryFilter, DeliveryLog, DeliveryLogError, DeliveryPage, LoggedDelivery, LoggedEvent,
    MOST_INCIDENT_EVENTS, MOST_LISTED,
};
pub use envelope::{API_VERSION, EnvelopeError, MAX_PAYLOAD_BYTES, TEST_EVENT, TEST_RECORD};
pub use outbound::LookupRefusal;
pub use receivers::{AddressChange, NewTarget, Receivers};
pub use redelivery::{MOST_RECOVERED, Recovered};
pub use signing_secret::SigningSecret;
pub use trial::Tested;
pub use vetting::TargetError;
