//! The decision which format a record has, from everything that normalization found in it.

use super::Format;
use crate::cloud_audit::Audit;
use crate::reading::Reading;
use crate::roles::{Role, Roles};

/// Parts of a record's subject, action and object.
const MEANING: [Role; 9] = [
    Role::ClientAddress,
    Role::User,
    Role::Method,
    Role::Target,
    Role::Path,
    Role::FullUrl,
    Role::RequestLine,
    Role::UserAgent,
    Role::EventType,
];

/// The findings that the format follows from.
pub(crate) struct Evidence {
    /// The format of the line alone.
    pub(crate) of_line: Option<Format>,
    /// Whether the line has a header of syslog.
    pub(crate) is_syslog: bool,
    pub(crate) audit: Option<Audit>,
    /// Whether the dictionary found a login or traffic in the record's own fields.
    pub(crate) is_judged: bool,
    /// Whether the record names the program that wrote it.
    pub(crate) has_program: bool,
}

impl Evidence {
    /// The surest first: formats by names that only they have, then the line, then single fields.
    pub(crate) fn format(&self, reading: &Reading<'_>, roles: &Roles<'_, '_>) -> Option<Format> {
        if let Some(audit) = self.audit {
            return Some(Format::of_audit(audit));
        }
        let category = reading.log_source.category.as_deref();
        if let Some("alert" | "webserver") = category
            && let Some(format @ (Format::SECURITY_ALERT | Format::WEB_FIREWALL)) =
                Format::of_reading(reading)
        {
            return Some(format);
        }
        if roles.has(Role::Channel) && roles.number(Role::EventId).is_some() {
            return Some(Format::WINDOWS);
        }
        if let Some(format) = self.of_line {
            return Some(format);
        }
        if category == Some("webserver") {
            return Some(Format::REQUEST);
        }
        if self.is_judged || roles.has_any(&MEANING) {
            return Some(Format::FIELDS);
        }
        Format::of_reading(reading).or_else(|| (self.is_syslog || self.has_program).then_some(Format::SYSLOG))
    }
}
