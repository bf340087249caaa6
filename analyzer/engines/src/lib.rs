//! The result of an analysis engine: observations, which become findings. Pure: an engine reads neither clock nor network.
//!
//! * An [`Observation`] names the check, the parts that identify the weakness, its locations and its evidence.
//! * The identity contains no line numbers, so that it is the same after unrelated edits.

mod level;
mod observation;

pub use level::Level;
pub use observation::{Evidence, Limits, Location, Observation, Region};
