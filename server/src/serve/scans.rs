//! The scanner of context scans, which the roles of a process share.

use std::sync::Arc;

use context::{Brands, Engine, Lists, Repositories, Scanner, ScannerSettings};
use outbound::Outbound;

use super::Opened;
use super::code_host::Connected;
use super::delivery::Delivery;
use crate::Failure;
use crate::settings::{Role, Settings};

/// Delivery and scanner of a process that has the role `api` or `worker`.
///
/// # Errors
/// When a role cannot send, or the model or a list of the operator cannot be used.
pub(super) async fn open(
    settings: &Settings,
    opened: &Opened,
) -> Result<Option<(Delivery, Scanner)>, Failure> {
    if !settings.has(Role::Api) && !settings.has(Role::Worker) {
        return Ok(None);
    }
    let delivery = Delivery::open(settings, opened).await?;
    let scanner = scanner(settings, opened, (&delivery.outbound(), delivery.code_host()))?;
    Ok(Some((delivery, scanner)))
}

/// Loads the checks and the lists of the operator.
fn scanner(
    settings: &Settings,
    opened: &Opened,
    (outbound, connected): (&Arc<Outbound>, Option<&Connected>),
) -> Result<Scanner, Failure> {
    let engine = engine(settings, Arc::clone(&opened.redactor))?;
    let scanner = ScannerSettings {
        registries: settings.registries.clone(),
        advisories_index: settings.advisories.index_file(&settings.data_dir),
    };
    let way = (Arc::clone(outbound), Arc::clone(&opened.clock));
    let repositories = connected.map(|connected| {
        let client = connected.for_requests().client;
        Repositories::new(client, Arc::clone(&opened.ledgers.directory), web_host(settings))
    });
    Ok(Scanner::new(&settings.context, scanner, Arc::new(engine), way)?.with_repositories(repositories))
}

/// Host name of the pages of the code host.
fn web_host(settings: &Settings) -> String {
    let url = settings.code_host.github.as_ref().map_or("https://github.com", |github| &github.web_url);
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.split(['/', ':']).next().unwrap_or_default().to_ascii_lowercase()
}

/// The checks with the lists of the operator.
///
/// # Errors
/// When the model or a list cannot be used.
pub(crate) fn engine(settings: &Settings, redactor: Arc<redact::Redactor>) -> Result<Engine, Failure> {
    let engine = Engine::load(guard_api::GUARD_MODEL, redactor, Brands::built_in())?;
    let lists = settings.context.lists_dir.as_deref().map(Lists::load).transpose()?;
    Ok(engine.with_lists(lists.unwrap_or_default())?)
}
