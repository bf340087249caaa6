//! Value sets of the interface description, taken from the types that define them.

use common::event::EventKind;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use deliver::DeliveryStatus;
use directory::{EscalationTrigger, TelemetryProtocol};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, SchemaType, Type};

fn words<'w>(about: &str, words: impl Iterator<Item = &'w str>, nullable: bool) -> ObjectBuilder {
    let values = words.map(|word| Some(word.to_owned())).chain(nullable.then_some(None));
    let kind = if nullable {
        SchemaType::from_iter([Type::String, Type::Null])
    } else {
        SchemaType::new(Type::String)
    };
    ObjectBuilder::new().description(Some(about)).schema_type(kind).enum_values(Some(values))
}

pub(crate) fn severity() -> ObjectBuilder {
    words("How bad", Severity::ALL.into_iter().map(Severity::as_str), false)
}

pub(crate) fn triage_status() -> ObjectBuilder {
    words("Where the review stands", TriageStatus::ALL.into_iter().map(TriageStatus::as_str), false)
}

/// What a review may set: automated triage is not a person's to claim.
pub(crate) fn review_status() -> ObjectBuilder {
    let statuses = TriageStatus::ALL.into_iter().filter(|status| *status != TriageStatus::Triaging);
    words("The status to be; `triaging` is not a person's to set", statuses.map(TriageStatus::as_str), false)
}

pub(crate) fn triage_resolution() -> ObjectBuilder {
    words("How the review ended", TriageResolution::ALL.into_iter().map(TriageResolution::as_str), false)
}

pub(crate) fn nullable_resolution() -> ObjectBuilder {
    words(
        "How the review ended; with `resolved`, and only with it",
        TriageResolution::ALL.into_iter().map(TriageResolution::as_str),
        true,
    )
}

pub(crate) fn escalate_on() -> ArrayBuilder {
    let triggers = EscalationTrigger::ALL.into_iter().map(EscalationTrigger::as_str);
    ArrayBuilder::new()
        .description(Some("What incidents are escalated for"))
        .items(words("What happened to an incident", triggers, false))
        .min_items(Some(1))
        .unique_items(true)
}

pub(crate) fn event_type() -> ObjectBuilder {
    words("What the event tells", EventKind::ALL.iter().map(|kind| kind.as_str()), false)
}

pub(crate) fn events() -> ArrayBuilder {
    ArrayBuilder::new()
        .description(Some("The events it is told of"))
        .items(event_type())
        .min_items(Some(1))
        .unique_items(true)
}

pub(crate) fn source_selection() -> OneOfBuilder {
    let id = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(100));
    let exactly = ArrayBuilder::new().items(id).max_items(Some(1_000)).unique_items(true);
    OneOfBuilder::new()
        .description(Some("`all`, those to come included, or exactly these, by id"))
        .item(words("Every source of the group", ["all"].into_iter(), false))
        .item(exactly)
}

pub(crate) fn telemetry_protocol() -> ObjectBuilder {
    let protocols = TelemetryProtocol::ALL.into_iter().map(TelemetryProtocol::as_str);
    words("OTLP over HTTP, in this encoding", protocols, false)
}

pub(crate) fn delivery_status() -> ObjectBuilder {
    words("Where it stands", DeliveryStatus::ALL.into_iter().map(DeliveryStatus::as_str), false)
}

pub(crate) fn confidence() -> ObjectBuilder {
    words("How sure the analysis is", ["low", "medium", "high"].into_iter(), false)
}

pub(crate) fn qualification() -> ObjectBuilder {
    words(
        "Why this became an incident",
        ["rule_level", "threshold", "entity_risk", "many_entities"].into_iter(),
        false,
    )
}

pub(crate) fn error_code() -> ObjectBuilder {
    let codes = [
        "invalid_request",
        "unauthorized",
        "forbidden",
        "not_found",
        "method_not_allowed",
        "conflict",
        "rate_limited",
        "internal_error",
        "service_unavailable",
    ];
    words("For programs", codes.into_iter(), false)
}
