//! Infrastructure of the process around its roles, in the order of a start: settings, telemetry, signals, the service
//! manager, supervised tasks, certificates, listening, requests, health and the admin listener. Independent of the
//! product.

pub mod settings;

pub mod telemetry;

pub mod shutdown;

pub mod notify;

pub mod tasks;

pub mod certificates;

pub mod listen;

pub mod requests;

pub mod health;

pub mod admin;
