//! Query parameters of every operation (specification, Context guardrails).

use common::words;
use rest::query::{FromQuery, Parameters, QueryError};
use utoipa::IntoParams;

use crate::artifact::Tolerance;

words! {
    /// How long a request waits.
    Mode {
        /// For the whole analysis, at most 35 s.
        Full = "full",
    }
}

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContextQuery {
    /// Whether the response has sub-scores, threats, checks and coverage.
    #[param(required = false, default = false)]
    pub(crate) details: bool,
    /// Whether a result older than 24 hours is scanned again. Without effect where neither the content nor its URL is kept: send
    /// the content again.
    #[param(required = false, default = false)]
    pub(crate) refresh: bool,
    /// Accepted risk, by which the score becomes a verdict.
    #[param(required = false, schema_with = tolerance)]
    pub(crate) tolerance: Tolerance,
    /// `full` waits for the whole analysis.
    #[param(required = false, schema_with = mode)]
    pub(crate) mode: Option<Mode>,
}

fn tolerance() -> utoipa::openapi::schema::ObjectBuilder {
    rest::openapi::word_of::<Tolerance>("Accepted risk; `conservative` by default")
}

fn mode() -> utoipa::openapi::schema::ObjectBuilder {
    rest::openapi::word_of::<Mode>("Waiting for the analysis")
}

impl FromQuery for ContextQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            details: parameters.flag("details")?,
            refresh: parameters.flag("refresh")?,
            tolerance: parameters.word("tolerance")?.unwrap_or(Tolerance::Conservative),
            mode: parameters.word("mode")?,
        })
    }
}
