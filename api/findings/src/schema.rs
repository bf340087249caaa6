//! Value sets of the interface description.

use engine::Level;
use rest::openapi::{word_of, words};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::detail::Verification;
use crate::filter::{Sort, State};
use crate::finding::{FindingKind, FindingSource};
use crate::history::ChangeKind;
use crate::merge::Outcome;

pub(crate) fn kind() -> ObjectBuilder {
    word_of::<FindingKind>("Kind of the finding")
}

pub(crate) fn source() -> ObjectBuilder {
    word_of::<FindingSource>("Origin of the finding")
}

pub(crate) fn level() -> ObjectBuilder {
    word_of::<Level>("Level, in ascending order")
}

pub(crate) fn nullable_level() -> OneOfBuilder {
    nullable(level())
}

pub(crate) fn state() -> ObjectBuilder {
    word_of::<State>("Open findings, which are not resolved, or resolved ones")
}

pub(crate) fn sort() -> ObjectBuilder {
    word_of::<Sort>("Order of the list; `newest` by default")
}

pub(crate) fn change() -> ObjectBuilder {
    word_of::<ChangeKind>("Change")
}

pub(crate) fn outcome() -> ObjectBuilder {
    let others = Outcome::ALL.into_iter().map(Outcome::as_str);
    words("Outcome of the result", others.chain(["rejected"]))
}

pub(crate) fn verification() -> OneOfBuilder {
    nullable(word_of::<Verification>("Result of the replay"))
}

pub(crate) fn triage_status() -> Ref {
    rest::openapi::reference("TriageStatus", "Triage status")
}

pub(crate) fn review_status() -> ObjectBuilder {
    rest::openapi::review_status()
}

pub(crate) fn triage_resolution() -> Ref {
    rest::openapi::reference("TriageResolution", "Triage resolution")
}

pub(crate) fn nullable_resolution() -> OneOfBuilder {
    nullable(Ref::from_schema_name("TriageResolution"))
}

fn nullable(schema: impl Into<RefOr<Schema>>) -> OneOfBuilder {
    OneOfBuilder::new().item(ObjectBuilder::new().schema_type(Type::Null)).item(schema)
}
