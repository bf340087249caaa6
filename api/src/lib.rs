//! The ledger as a REST API.
