//! Lines of Tomcat's own log: `08-Jul-2026 09:10:11.123 WARNING [http-nio-8080-exec-3]
//! org.apache.catalina.realm.LockOutRealm.filterLockedAccounts TEXT`. None names the client.

use super::{LOGIN_FAILED, MALFORMED, Report};
use crate::reading::Reading;
use crate::split;

pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    if !super::begins_as(line, b"00-aaa-0000 00:00:00.000 ") {
        return None;
    }
    let (level, rest) = split::at_byte(line.get(25..)?, b' ')?;
    let (_, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let (method, text) = split::at_byte(rest, b' ')?;
    let class = method.strip_prefix("org.apache.")?;
    let mut reading = super::reading("tomcat");
    reading.text("log.level", level);
    if class.contains("LockOutRealm") {
        let (_, user) = split::at_first(text, "to authenticate the locked user ")?;
        let user = user.trim_matches(['[', ']', '"']);
        Report::of(LOGIN_FAILED).by(user).add_to(&mut reading);
    } else if text.starts_with("Error parsing HTTP request header") {
        Report::of(MALFORMED).add_to(&mut reading);
    }
    Some(reading)
}
