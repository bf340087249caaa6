//! Error lines of web servers: severity, client, and which refusal or failure they report.
//!
//! Most error lines have an access line for the same request, and both often go into one source. So an error
//! line is no request: it has neither a status nor a query, and rules that count requests do not count it again.
//! It has an `event.action`, which rules of its own count, by distinct values wherever access lines are counted
//! by the same correlation. `url.path` is set where it is the very path of the access line; the resource, a path
//! of the URL or of the file system, is `error.resource`.

mod apache;
mod modsecurity;
mod nginx;
mod php;
mod tomcat;
mod wording;

use super::reading::{Outcome, Reading, source};

/// A refused login.
const LOGIN_FAILED: &str = "login_failed";
/// A request refused by an access rule or by permissions.
const DENIED: &str = "request_denied";
/// A request for a file or program that does not exist.
const NOT_FOUND: &str = "request_not_found";
/// A request that is not valid HTTP or names no valid path.
const MALFORMED: &str = "request_malformed";
/// A request refused by a rate limit.
const LIMITED: &str = "request_rate_limited";
/// A request refused by a web application firewall.
const BLOCKED: &str = "request_blocked";
/// A request that matched a rule of a web application firewall.
const FLAGGED: &str = "request_flagged";
/// A request at which the application failed.
const FAILED: &str = "request_failed";

/// Whether a text begins with a form in which `0` stands for a digit and `a` for a letter.
fn begins_as(text: &str, form: &[u8]) -> bool {
    let is_of_form = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        form => byte == *form,
    };
    text.len() >= form.len() && text.bytes().zip(form).all(is_of_form)
}

/// Reads a line by its shape; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    if line.starts_with('[') {
        apache::read(line).or_else(|| php::read(line))
    } else {
        nginx::read(line).or_else(|| tomcat::read(line))
    }
}

/// A reading of a product's error line that has only a log source.
fn reading<'t>(product: &'static str) -> Reading<'t> {
    let mut reading =
        Reading { fields: Vec::with_capacity(10), log_source: source(Some(product), None, None) };
    reading.text("process.name", product);
    reading
}

/// Request that a message reports.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Report<'t> {
    action: &'static str,
    /// The user name; empty where none is given.
    user: &'t str,
    /// A path of the file system, or of the URL; empty where none is given.
    resource: &'t str,
    /// Whether the resource is the path of the URL.
    is_url: bool,
}

impl<'t> Report<'t> {
    fn of(action: &'static str) -> Self {
        Self { action, user: "", resource: "", is_url: false }
    }

    fn by(self, user: &'t str) -> Self {
        Self { user, ..self }
    }

    fn about_file(self, resource: &'t str) -> Self {
        Self { resource, is_url: false, ..self }
    }

    fn about_url(self, resource: &'t str) -> Self {
        Self { resource, is_url: true, ..self }
    }

    fn add_to(self, reading: &mut Reading<'t>) {
        // A flagged request may have been answered.
        let outcome = (self.action != FLAGGED).then_some(Outcome::Failure);
        reading.action(self.action, outcome);
        reading.text("user.name", self.user);
        reading.text("error.resource", self.resource);
        if self.is_url {
            reading.text("url.path", self.resource);
        }
    }
}

#[cfg(test)]
mod tests;
