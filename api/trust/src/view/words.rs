//! Value sets of the interface description.

use rest::openapi::word_of;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

use crate::artifact::{Confidence, Gap, Part, PullVerdict, Verdict};
use crate::scan::ScanStatus;

pub(super) fn status() -> ObjectBuilder {
    word_of::<ScanStatus>("Status of the scan")
}

pub(super) fn verdict() -> ObjectBuilder {
    word_of::<Verdict>("Verdict of the score: `trusted` from 80, `caution` from 50, `suspicious` from 20")
}

pub(super) fn confidence() -> ObjectBuilder {
    word_of::<Confidence>(
        "Confidence in the score by the number of reviewed pull requests: `low` below 3 or after an incomplete search, `medium` below 10",
    )
}

pub(super) fn pull_verdict() -> ObjectBuilder {
    word_of::<PullVerdict>(
        "`review` when a check of the diff failed, `inconclusive` when not all added lines could be read",
    )
}

pub(super) fn part() -> ObjectBuilder {
    word_of::<Part>(
        "`pull_requests`: signals that depend on the missing ones are unknown and do not lower the score; `public_evidence`: the reply leaves evidence out",
    )
}

pub(super) fn gap() -> ObjectBuilder {
    word_of::<Gap>(
        "`search_incomplete`: the code host ended the search early, twice; `not_confirmed`: it did not confirm at the time of the reply that a repository is public",
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
