//! Tests of validation as a whole.
