//! What the process needs around its roles: configuration, telemetry, listening, signals, drain, health.
