//! What the log source of a request record is, where neither its reader nor its format said so. A source
//! that is not recognised stays unsaid, so that no rule is kept from it.

use std::borrow::Cow;

use sigma::event::{Event, LogSource};

use super::roles::{Role, Roles};

/// The log source, given what a reader already said of it.
pub(super) fn refine<'e, 'a>(
    read: LogSource<'static>,
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
) -> LogSource<'static> {
    if read.category.as_deref() == Some("webserver") && read.product.is_none() {
        return LogSource { product: web_product(event, roles).map(Cow::Borrowed), ..read };
    }
    read
}

/// The server's product, where the record has its fields or where the program, the file or the service
/// it runs as says it. Which drain it came by says nothing.
fn web_product<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<&'static str> {
    if roles.has(Role::RayId) && roles.field(event, "EdgeResponseStatus").is_some() {
        return Some("cloudflare");
    }
    if roles.has(Role::DeploymentId) && roles.field(event, "projectId").is_some() {
        return Some("vercel");
    }
    let service = roles.field(event, "resource.service.name").and_then(|name| name.as_str());
    [roles.str(Role::Program), roles.str(Role::File), service].into_iter().flatten().find_map(|text| {
        if text.contains("nginx") {
            Some("nginx")
        } else if text.contains("apache") || text.contains("httpd") {
            Some("apache")
        } else if text.contains("haproxy") {
            Some("haproxy")
        } else {
            None
        }
    })
}
