//! `/agent-monitoring` and `/agents/{agent_id}/alerts`, with a client as its author would write it from the documentation.

mod client;
mod detections;
mod limits;
mod once;
mod refusals;
mod rules;
mod status;
mod throughput;
