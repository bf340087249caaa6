//! Shared bodies of the benchmarks. The benchmarks themselves lie beside this
//! folder, one file per stage.

pub mod binary;
pub mod bodies;
pub mod events;
pub mod log;
pub mod process_cpu;
pub mod records;
pub mod selection;
pub mod senders;
pub mod ordinary;
pub mod otlp;
pub mod stage;
pub mod thread_cpu;
