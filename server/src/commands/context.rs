//! `palisade context scan`: the checks of context scans on a file, without a server.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use common::ids::OrganizationId;
use context::{
    Names, NoNames, OfflineOrigin, Origin, OutboundNames, Reading, Tolerance, scan_offline,
    scan_package_folder, scan_repository_folder,
};
use outbound::{Outbound, SystemResolver};
use redact::Redactor;
use sandbox::{Bounds, Sandbox};

use super::texts::read;
use super::{folder, print, runtime};
use crate::Failure;
use crate::cli::{Common, ContextCommand, ContextScan, ScanOrigin, ScanTolerance, Serve};
use crate::serve::scans::engine;
use crate::settings::{self, Settings};

/// Documents of one input are read one after another.
const ONE_AT_A_TIME: Bounds = Bounds { running: 1, waiting: 1 };

/// Runs a command.
pub(super) fn run(command: &ContextCommand, common: &Common) -> Result<(), Failure> {
    match command {
        ContextCommand::Scan(scan) => print(&scanned(scan, common)?),
    }
}

fn scanned(scan: &ContextScan, common: &Common) -> Result<String, Failure> {
    let settings: Settings = settings::load(common, &Serve::default())?;
    let redactor = Arc::new(Redactor::new(&settings.redaction)?);
    let engine = engine(&settings, redactor)?;
    let tolerance = match scan.tolerance {
        ScanTolerance::Conservative => Tolerance::Conservative,
        ScanTolerance::Lenient => Tolerance::Lenient,
        ScanTolerance::Yolo => Tolerance::Yolo,
    };
    let of_folder = || -> Result<_, Failure> {
        let label = scan.path.display().to_string();
        Ok(((folder::read(&scan.path)?, label), (tolerance, SystemClock::new().now())))
    };
    let of_repository = |origin| {
        let (content, choices) = of_folder()?;
        Ok(scan_repository_folder(&engine, origin, content, choices)?)
    };
    let origin = match scan.origin {
        ScanOrigin::Message => OfflineOrigin::Message,
        ScanOrigin::Email => OfflineOrigin::Email,
        ScanOrigin::File => OfflineOrigin::File,
        ScanOrigin::Package => {
            let (content, choices) = of_folder()?;
            return Ok(scan_package_folder(&engine, content, choices)?);
        }
        ScanOrigin::Skill => return of_repository(Origin::Skill),
        ScanOrigin::Mcp => return of_repository(Origin::Mcp),
    };
    let name = scan.path.file_name().and_then(|name| name.to_str()).filter(|name| *name != "-");
    let name = name.map(str::to_owned);
    let input = read(Some(&scan.path))?;
    let sandbox = Sandbox::new(ONE_AT_A_TIME);
    let clock: SharedClock = Arc::new(SystemClock::new());
    let choices = (tolerance, clock.now());
    runtime()?.block_on(async {
        let names: Box<dyn Names> = if scan.offline { Box::new(NoNames) } else { names(&settings, &clock)? };
        let reading = Reading { names: names.as_ref(), sandbox: &sandbox, config: &settings.context };
        Ok(scan_offline(&engine, &reading, (origin, name, input), choices).await?)
    })
}

/// The name servers of the settings.
fn names(settings: &Settings, clock: &SharedClock) -> Result<Box<dyn Names>, Failure> {
    let resolver = SystemResolver::new(&settings.outbound, Arc::clone(clock))?;
    let outbound = Outbound::new(&settings.outbound, Arc::new(resolver), Arc::clone(clock))?;
    Ok(Box::new(OutboundNames { outbound: Arc::new(outbound), organization: OrganizationId::NONE }))
}
