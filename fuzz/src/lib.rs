//! Shared code of the targets: independent readings of the formats, to compare the product's with, and
//! ways to make and to damage input that bytes alone would seldom lead to. No code here decides
//! what is right; each target states its expectation.

pub mod drain_model;
pub mod json_tree;
pub mod log_image;
pub mod otlp;
pub mod wire_mutation;
