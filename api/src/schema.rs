//! Value sets and bounds of the interface description, taken from the types that define them. Sets that several
//! properties share are components, so that a generated client has one type for each.

pub(crate) mod text;

use common::event::EventKind;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use deliver::DeliveryStatus;
use directory::{EscalationTrigger, TelemetryProtocol};
use rest::openapi::{reference, word_of, words};
use utoipa::openapi::Ref;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};

use crate::incident_index::{Sort, State};

/// The components that the other functions refer to.
pub(crate) fn components() -> [(&'static str, ObjectBuilder); 9] {
    [
        ("Severity", word_of::<Severity>("Severity, in ascending order")),
        ("TriageStatus", word_of::<TriageStatus>("Triage status")),
        ("TriageResolution", word_of::<TriageResolution>("Triage resolution")),
        ("EventType", word_of::<EventKind>("Event type")),
        ("EscalationTrigger", word_of::<EscalationTrigger>("Change of an incident")),
        ("TelemetryProtocol", word_of::<TelemetryProtocol>("OTLP over HTTP, by encoding")),
        ("DeliveryStatus", word_of::<DeliveryStatus>("Delivery status")),
        ("Confidence", words("Confidence of the analysis", ["low", "medium", "high"].into_iter())),
        (
            "Qualification",
            words(
                "Reason why findings became an incident",
                ["rule_level", "threshold", "entity_risk", "many_entities"].into_iter(),
            ),
        ),
    ]
}

pub(crate) fn severity() -> Ref {
    reference("Severity", "Severity")
}

pub(crate) fn incident_state() -> ObjectBuilder {
    words(
        "Open incidents, which are not resolved, or resolved ones",
        State::ALL.into_iter().map(State::as_str),
    )
}

pub(crate) fn incident_sort() -> ObjectBuilder {
    word_of::<Sort>("Order of the list; `activity` by default")
}

pub(crate) fn triage_status() -> Ref {
    reference("TriageStatus", "Triage status")
}

pub(crate) fn review_status() -> ObjectBuilder {
    rest::openapi::review_status()
}

pub(crate) fn triage_resolution() -> Ref {
    reference("TriageResolution", "Triage resolution")
}

pub(crate) fn nullable_resolution() -> OneOfBuilder {
    OneOfBuilder::new()
        .description(Some("Triage resolution; required if the status is `resolved`, otherwise not allowed"))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .item(Ref::from_schema_name("TriageResolution"))
}

pub(crate) fn escalate_on() -> ArrayBuilder {
    ArrayBuilder::new()
        .description(Some("Changes for which incidents are escalated"))
        .items(Ref::from_schema_name("EscalationTrigger"))
        .min_items(Some(1))
        .unique_items(true)
}

pub(crate) fn event_type() -> Ref {
    reference("EventType", "Event type")
}

pub(crate) fn events() -> ArrayBuilder {
    ArrayBuilder::new()
        .description(Some("Event types subscribed to"))
        .items(Ref::from_schema_name("EventType"))
        .min_items(Some(1))
        .unique_items(true)
}

pub(crate) fn source_selection() -> OneOfBuilder {
    let id = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(100));
    let exactly = ArrayBuilder::new().items(id).max_items(Some(1_000)).unique_items(true);
    OneOfBuilder::new()
        .description(Some("`all`, sources created later included, or exactly these, by id"))
        .item(words("Every source of the group", ["all"].into_iter()))
        .item(exactly)
}

pub(crate) fn telemetry_protocol() -> Ref {
    reference("TelemetryProtocol", "OTLP over HTTP, by encoding")
}

pub(crate) fn delivery_status() -> Ref {
    reference("DeliveryStatus", "Delivery status")
}

pub(crate) fn confidence() -> Ref {
    reference("Confidence", "Confidence of the analysis")
}

pub(crate) fn qualification() -> Ref {
    reference("Qualification", "Reason why the findings became an incident")
}
