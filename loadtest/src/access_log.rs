//! Lines of a web server's access log: any, and those of attacks that more than one mode makes. The modes decide who
//! sends them, and when.

use std::fmt::Display;

/// User agent that attackers claim.
const BROWSER: &str = "Mozilla/5.0";

/// A line of an access log in the combined format. Its own date is constant: the time is sent
/// separately.
pub fn access_line(address: &str, request: &str, status: u16, agent: &str) -> String {
    format!(r#"{address} - - [08/Jul/2026:09:00:00 +0000] "{request} HTTP/1.1" {status} 512 "-" "{agent}""#)
}

/// A nonexistent path, distinct for each index.
pub fn sweep_line(address: &str, index: impl Display) -> String {
    access_line(address, &format!("GET /old-{index}.php"), 404, BROWSER)
}

/// A query with SQL in it that causes a server error.
pub fn injection_line(address: &str, index: impl Display) -> String {
    let query = format!("id={index}%20UNION%20SELECT%20name,password%20FROM%20users--");
    access_line(address, &format!("GET /products?{query}"), 500, BROWSER)
}
