//! Value sets of the interface description.

use rest::openapi::word_of;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

use crate::artifact::{Confidence, PullVerdict, Verdict};
use crate::scan::ScanStatus;

pub(super) fn status() -> ObjectBuilder {
    word_of::<ScanStatus>("Status of the scan")
}

pub(super) fn verdict() -> ObjectBuilder {
    word_of::<Verdict>("Verdict of the score: `trusted` from 80, `caution` from 50, `suspicious` from 20")
}

pub(super) fn confidence() -> ObjectBuilder {
    word_of::<Confidence>(
        "Confidence in the score by the number of reviewed pull requests: `low` below 3, `medium` below 10",
    )
}

pub(super) fn pull_verdict() -> ObjectBuilder {
    word_of::<PullVerdict>(
        "`review` when a check of the diff failed, `inconclusive` when not all added lines could be read",
    )
}

pub(super) fn optional_verdict() -> OneOfBuilder {
    nullable(verdict())
}

pub(super) fn optional_confidence() -> OneOfBuilder {
    nullable(confidence())
}

fn nullable(schema: ObjectBuilder) -> OneOfBuilder {
    OneOfBuilder::new().item(ObjectBuilder::new().schema_type(Type::Null)).item(schema)
}
