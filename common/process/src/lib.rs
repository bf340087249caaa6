//! What the process needs around its roles, in the order a start goes through it: settings,
//! telemetry, signals, the service manager, supervised tasks, certificates, listening, requests, health and the admin
//! listener. Nothing here knows what the product does.

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
