//! The product as a whole, from outside: the built binary over real sockets and files.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "another process is waited for on the wall clock")]
#![expect(dead_code, reason = "the support is shared with the other whole-system tests")]

#[path = "support/collector.rs"]
mod collector;
#[path = "support/http.rs"]
mod http;
#[path = "../../analyzer/sigma/tests/language/letters.rs"]
mod letters;
#[path = "support/lines.rs"]
mod lines;
#[path = "support/name_server.rs"]
mod name_server;
#[path = "support/receiver.rs"]
mod receiver;
#[path = "support/server.rs"]
mod server;
#[path = "support/servers.rs"]
mod servers;
#[path = "support/skip.rs"]
mod skip;
#[path = "support/tenant.rs"]
mod tenant;
#[path = "../../common/documents/tests/pdf/written.rs"]
mod written;

#[path = "whole_system/agent_monitoring.rs"]
mod agent_monitoring;
#[path = "whole_system/api_keys.rs"]
mod api_keys;
#[path = "whole_system/analysis.rs"]
mod analysis;
#[path = "whole_system/background_jobs.rs"]
mod background_jobs;
#[path = "whole_system/clients.rs"]
mod clients;
#[path = "whole_system/code_host.rs"]
mod code_host;
#[path = "whole_system/commands.rs"]
mod commands;
#[path = "whole_system/context.rs"]
mod context;
#[path = "whole_system/contributors.rs"]
mod contributors;
#[path = "whole_system/damage.rs"]
mod damage;
#[path = "whole_system/data_directory.rs"]
mod data_directory;
#[path = "whole_system/delivery.rs"]
mod delivery;
#[path = "whole_system/expressions.rs"]
mod expressions;
#[path = "whole_system/findings.rs"]
mod findings;
#[path = "whole_system/first_steps.rs"]
mod first_steps;
#[path = "whole_system/first_start.rs"]
mod first_start;
#[path = "whole_system/front_door.rs"]
mod front_door;
#[path = "whole_system/guard.rs"]
mod guard;
#[path = "whole_system/inventory.rs"]
mod inventory;
#[path = "whole_system/lookups.rs"]
mod lookups;
#[path = "whole_system/masked_values.rs"]
mod masked_values;
#[path = "whole_system/messages.rs"]
mod messages;
#[path = "whole_system/pages.rs"]
mod pages;
#[path = "whole_system/processes.rs"]
mod processes;
#[path = "whole_system/programs.rs"]
mod programs;
#[path = "whole_system/redact.rs"]
mod redact;
#[path = "whole_system/rules.rs"]
mod rules;
#[path = "whole_system/rules_in_force.rs"]
mod rules_in_force;
#[path = "whole_system/secrets.rs"]
mod secrets;
#[path = "whole_system/source_status.rs"]
mod source_status;
#[path = "whole_system/targets.rs"]
mod targets;
#[path = "whole_system/telemetry.rs"]
mod telemetry;
#[path = "whole_system/tenants.rs"]
mod tenants;
#[path = "whole_system/unloadable.rs"]
mod unloadable;
#[path = "whole_system/upgrade.rs"]
mod upgrade;
#[path = "whole_system/verify.rs"]
mod verify;
#[path = "whole_system/webhooks.rs"]
mod webhooks;
#[path = "whole_system/without_sandbox.rs"]
mod without_sandbox;
