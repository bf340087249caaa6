//! Rules about requests: web servers and proxies (W3C extended log file names).

use super::Table;

/// Rules look for path patterns in the query as often as in the stem, so the query stands for both.
pub(super) const WEB: &Table = &[
    ("c-ip", &["client.address", "network.peer.address"]),
    ("c-port", &["client.port"]),
    ("cs-method", &["http.request.method_original", "http.request.method"]),
    ("cs-uri", &["url.path_and_query"]),
    ("cs-uri-stem", &["url.path"]),
    ("cs-uri-query", &["url.path_and_query"]),
    ("cs-user-agent", &["user_agent.original"]),
    ("cs-referer", &["http.request.header.referer"]),
    ("cs-referrer", &["http.request.header.referer"]),
    ("cs-host", &["server.address", "url.domain"]),
    ("cs-username", &["user.name", "enduser.id"]),
    ("cs-version", &["network.protocol.version"]),
    ("cs-bytes", &["http.request.body.size", "http.request.size"]),
    ("sc-bytes", &["http.response.body.size", "http.response.size"]),
    ("sc-status", &["http.response.status_code"]),
    ("src_ip", &["client.address", "network.peer.address"]),
    ("dst_ip", &["destination.address", "server.address"]),
];

/// Proxies have names of their own for the request, and otherwise those of web servers.
pub(super) const PROXY: &Table = &[
    ("c-uri", &["url.full", "url.original", "url.path_and_query"]),
    ("c-uri-stem", &["url.path"]),
    ("c-uri-query", &["url.query"]),
    ("c-uri-extension", &["url.extension"]),
    ("c-useragent", &["user_agent.original"]),
    ("cs-referrer", &["http.request.header.referer"]),
    ("r-dns", &["server.address", "url.domain"]),
];
