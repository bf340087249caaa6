//! The result of an analysis engine: observations, which become findings. Pure: an engine reads neither clock nor network.
//!
//! * An [`Observation`] names the check, the parts that identify the weakness, its locations and its evidence.
//! * The identity contains no line numbers, so that it is the same after unrelated edits.
//! * [`sarif`] reads the results of other tools as observations.

mod level;
mod observation;
mod text;

pub mod sarif;

pub use level::Level;
pub use observation::{Evidence, Limits, Location, Observation, Region};
pub use text::cut;
