//! What the process needs around its roles, in the order a start goes through it: settings,
//! telemetry, signals, supervised tasks, listening, requests, health and the admin listener. Nothing here
//! knows what the product does.

pub mod settings;

pub mod telemetry;

pub mod shutdown;

pub mod tasks;

pub mod listen;

pub mod requests;

pub mod health;

pub mod admin;
