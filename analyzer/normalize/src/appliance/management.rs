//! Logins to the management of appliances: the web interface of pfSense and OPNsense, and F5's audit of PAM.

use super::{between, login, of, word_after};
use crate::reading::Reading;

/// `/index.php: webConfigurator authentication error for user 'admin' from: 198.51.100.7`, and the other
/// wordings of releases. The user is in quotes in front of the address, which ends the message but for the database.
pub(crate) fn bsd(line: &str) -> Option<Reading<'_>> {
    let (opening, rest) = line.split_once(" for ").filter(|(opening, _)| opening.len() <= 80)?;
    let worked = if opening.ends_with("Successful login") {
        true
    } else if opening.ends_with("authentication error") {
        false
    } else {
        return None;
    };
    let rest = rest.strip_prefix("user ").unwrap_or(rest);
    // A name may hold anything, so that the last mark counts.
    let (user, from) = rest.rsplit_once(" from")?;
    let address = from.trim_start_matches(':').trim();
    let address = address.split(' ').next()?;
    let mut reading = of("pfsense", Some("authentication"), "webConfigurator");
    login(&mut reading, worked, user, address);
    Some(reading)
}

/// `AUDIT - user admin - RAW: httpd(pam_audit): user=admin(admin) … host=198.51.100.7 attempts=1 …`, and
/// `… failed to login after 1 attempts …`.
pub(crate) fn pam_audit(line: &str) -> Option<Reading<'_>> {
    let (_, report) = line.split_once("(pam_audit): ")?;
    let lower = report.get(..5)?.to_ascii_lowercase();
    if lower != "user=" {
        return None;
    }
    let user = report.get(5..)?.split([' ', '(']).next()?;
    let failed = report.contains(" failed to login after ");
    let address = word_after(report, " host=").unwrap_or_default();
    let attempts = between(report, "attempts=", " ").unwrap_or_default();
    if !failed && attempts.is_empty() {
        return None;
    }
    // The end of a session is written like its start.
    if !failed && report.contains(" end=\"") {
        return None;
    }
    let mut reading = of("f5", Some("authentication"), "big-ip");
    login(&mut reading, !failed, user, address);
    Some(reading)
}
