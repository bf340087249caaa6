//! Log source of a record, if neither its reader nor its format gave one: of requests the
//! server, of others the name of the program or service that the record gives itself.

use std::borrow::Cow;

use sigma::event::{Event, LogSource};

use super::presence::hash;
use super::roles::{Role, Roles, text};
use super::split;

/// The service of requests of which neither server nor program is known: rules for services that are none are not for them.
const ACCESS_LOG: Cow<'static, str> = Cow::Borrowed("access");

/// The log source, given the part that a reader already set.
pub(super) fn refine<'e, 'a>(
    read: LogSource<'a>,
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
) -> LogSource<'a> {
    if read.category.as_deref() == Some("webserver") {
        let product = read.product.or_else(|| web_product(event, roles).map(Cow::Borrowed));
        let service = read.service.or_else(|| product.clone());
        let service = service.or_else(|| named(roles.program_name()?).service).unwrap_or(ACCESS_LOG);
        return LogSource { product, service: Some(service), ..read };
    }
    if read.product.is_none()
        && read.service.is_none()
        && let Some(name) = roles.text(Role::Program).or_else(|| service_name(event, roles))
    {
        return LogSource { category: read.category, ..named(name) };
    }
    read
}

/// The log source of which nothing but a name is known. In no dimension can it disagree with a rule that does not
/// state a service.
pub(super) fn named(name: Cow<'_, str>) -> LogSource<'_> {
    let has_upper_case = name.bytes().any(|byte| byte.is_ascii_uppercase());
    let name = if has_upper_case { Cow::Owned(name.to_ascii_lowercase()) } else { name };
    LogSource { service: Some(name), ..LogSource::default() }
}

fn service_name<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Cow<'a, str>> {
    const NAME: [u32; 2] = [hash(b"service"), hash(b"service.name")];
    const OF_RESOURCE: [u32; 3] =
        [hash(b"resource"), hash(b"resource.service"), hash(b"resource.service.name")];
    // Hashes known at compile time rule out records without a field that leads there.
    let leads = |hashes: &[u32]| hashes.iter().any(|hash| roles.presence().has_hash(*hash));
    let name = |field| roles.field(event, field).and_then(text).filter(|name| !name.is_empty());
    let own = if leads(&NAME) { name("service.name") } else { None };
    own.or_else(|| if leads(&OF_RESOURCE) { name("resource.service.name") } else { None })
}

/// The server's product, where the record has its fields or where the program, the file or the service
/// it runs as names it. The drain is irrelevant.
fn web_product<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<&'static str> {
    if roles.has(Role::RayId) && roles.field(event, "EdgeResponseStatus").is_some() {
        return Some("cloudflare");
    }
    if roles.has(Role::DeploymentId) && roles.field(event, "projectId").is_some() {
        return Some("vercel");
    }
    let service = service_name(event, roles);
    let texts = [roles.str(Role::Program), roles.str(Role::File), service.as_deref()];
    texts.into_iter().flatten().find_map(product_in)
}

/// The server whose name stands in the name of a program, a file or a service.
fn product_in(text: &str) -> Option<&'static str> {
    // Most hold not even the beginning of a name, which is seen in one pass.
    let begins = |pair: &[u8; 2]| matches!(pair, b"ng" | b"ap" | b"ht" | b"ha");
    if !text.as_bytes().array_windows().any(begins) {
        return None;
    }
    let has = |name| split::at_first(text, name).is_some();
    if has("nginx") {
        Some("nginx")
    } else if has("apache") || has("httpd") {
        Some("apache")
    } else if has("haproxy") {
        Some("haproxy")
    } else {
        None
    }
}
