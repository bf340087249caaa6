//! Load tests of a `palisade` server from outside, over HTTP on loopback; no internal crate is used.
//!
//! [`load`] sends requests at a rate, or as fast as they are answered, measures, and confirms that every acknowledged batch was
//! analysed; [`soak`] does so for hours. The other modules start a server ([`process`], [`ports`]), talk to it ([`client`], [`api`],
//! [`forms`], [`access_log`]) and measure it ([`histogram`], [`metrics`], [`resources`]). The crate `faults` builds its failure tests on them.
#![expect(
    missing_docs,
    reason = "a library of the two tools only, whose plans and reports name their fields"
)]

pub mod access_log;
pub mod api;
pub mod arguments;
pub mod client;
pub mod clock;
pub mod forms;
pub mod histogram;
pub mod load;
pub mod locked;
pub mod metrics;
pub mod ports;
pub mod process;
pub mod resources;
pub mod run;
pub mod soak;
pub mod work;
