//! Error lines of ours, in the forms that the manuals and sources of the servers give.

use super::*;

fn value(line: &str, name: &str) -> Option<String> {
    let reading = read(line).unwrap_or_else(|| panic!("not read: {line}"));
    let (_, value) = reading.fields.into_iter().find(|(own, _)| *own == name)?;
    value.to_text().map(|text| text.into_owned())
}

#[test]
fn errors_say_how_bad_and_about_whom() {
    for (line, product, level, client) in [
        (
            r#"2026/07/08 09:10:11 [error] 12#12: *7 open() "/srv/x" failed (2: No such file or directory), client: 198.51.100.7, server: shop, request: "GET /x HTTP/1.1", host: "shop""#,
            "nginx",
            "error",
            Some("198.51.100.7"),
        ),
        ("2026/07/08 09:10:11 [notice] 1#1: signal process started", "nginx", "notice", None),
        (
            r#"2026/07/08 09:10:11 [error] 12#12: *7 open() "/srv/a, client: 203.0.113.9" failed, client: 198.51.100.7, server: shop"#,
            "nginx",
            "error",
            None,
        ),
        (
            "[Wed Jul 08 09:10:11.123456 2026] [authz_core:error] [pid 1:tid 2] [client 198.51.100.7:5001] AH01630: client denied by server configuration: /srv",
            "apache",
            "error",
            Some("198.51.100.7"),
        ),
        (
            "[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1:tid 2] [client 2001:db8:bad::10:5001] AH00128: File does not exist: /srv/x",
            "apache",
            "error",
            Some("2001:db8:bad::10"),
        ),
        (
            "[Wed Jul 08 09:10:11 2026] [error] [client 198.51.100.7] File does not exist: [client 203.0.113.9]",
            "apache",
            "error",
            Some("198.51.100.7"),
        ),
        (
            "[Wed Jul 08 09:10:11.123456 2026] [mpm_event:notice] [pid 7:tid 1] AH00489: configured [client 203.0.113.9]",
            "apache",
            "notice",
            None,
        ),
    ] {
        assert_eq!(read(line).unwrap().log_source, source(Some(product), None, None), "{line}");
        assert_eq!(value(line, "log.level").as_deref(), Some(level), "{line}");
        assert_eq!(value(line, "client.address").as_deref(), client, "{line}");
    }
}

#[test]
fn other_lines_are_no_errors() {
    for line in [
        "",
        "[",
        "[a] [b]",
        "[UFW BLOCK] IN=eth0",
        "2026/07/08 09:10:11 [",
        "2026/07/08 09:10:11 hello",
        "2026/07/08 09:10:11 [x] y: z",
    ] {
        assert!(read(line).is_none(), "{line}");
    }
}

fn fields(line: &str, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| value(line, name).unwrap_or_default()).collect()
}

#[test]
fn refused_logins_have_their_user_and_client() {
    const NGINX: &str =
        r#", client: 203.0.113.9, server: shop, request: "GET /staff/?a=1 HTTP/1.1", host: "shop""#;
    const APACHE: &str =
        "[Wed Jul 08 09:10:11.123456 2026] [auth_basic:error] [pid 1:tid 2] [client 203.0.113.9:5001] ";
    for (line, process, user) in [
        (
            format!("2026/07/08 09:10:11 [error] 1#1: *7 user \"anna\": password mismatch{NGINX}"),
            "nginx",
            "anna",
        ),
        (
            format!("2026/07/08 09:10:11 [error] 1#1: *7 user \"a \"b\" was not found in \"/etc/x\"{NGINX}"),
            "nginx",
            "a \"b",
        ),
        (
            format!(
                "2026/07/08 09:10:11 [error] 1#1: *7 FastCGI sent in stderr: \"PHP message: Login failed for user \
                 accepted password for anna from 192.0.2.1\" while reading response header from upstream{NGINX}"
            ),
            "nginx",
            "accepted password for anna",
        ),
        (
            format!("{APACHE}AH01617: user anna: authentication failure for \"/staff/\": Password Mismatch"),
            "apache",
            "anna",
        ),
        (format!("{APACHE}AH01618: user 203.0.113.7 not found: /staff/"), "apache", "203.0.113.7"),
        (format!("{APACHE}user anna not found: /staff/, referer: http://shop/"), "apache", "anna"),
        (
            format!(
                "{APACHE}AH01806: user 'anna': authentication failure for \"/staff/\": password Mismatch"
            ),
            "apache",
            "anna",
        ),
        (format!("{APACHE}AH01794: user anna: password mismatch: /papers/"), "apache", "anna"),
        (format!("{APACHE}AH01790: user `anna' in realm `papers' not found: /papers/"), "apache", "anna"),
        (format!("{APACHE}AH01614: client used wrong authentication scheme: /staff/"), "apache", ""),
        (
            format!(
                "{APACHE}AH01695: auth_ldap authenticate: user anna authentication failed; URI /staff/ \
                 [ldap_simple_bind() failed][Invalid credentials]"
            ),
            "apache",
            "anna",
        ),
        (
            format!("{APACHE}AH01071: Got error 'PHP message: Invalid password for user anna'"),
            "apache",
            "anna",
        ),
        (
            "[08-Jul-2026 09:10:11 UTC] authentication failure; user=anna client=203.0.113.9".to_owned(),
            "php",
            "anna",
        ),
    ] {
        let found =
            fields(&line, &["event.action", "event.outcome", "client.address", "process.name", "user.name"]);
        assert_eq!(found, ["login_failed", "failure", "203.0.113.9", process, user], "{line}");
        // Rules that count requests have the access line.
        for name in ["http.response.status_code", "url.query", "url.path_and_query"] {
            assert_eq!(value(&line, name), None, "{line}");
        }
    }
}

#[test]
fn an_application_s_own_log_names_the_client_in_one_place_or_none() {
    for text in [
        "authentication failure; user=from 192.0.2.1 client=203.0.113.9",
        "Login failed for user 203.0.113.9",
        "Login failed for user anna",
    ] {
        let line = format!("[08-Jul-2026 09:10:11 UTC] {text}");
        assert_eq!(value(&line, "event.action").as_deref(), Some("login_failed"), "{line}");
        assert_eq!(value(&line, "client.address"), None, "{line}");
    }
}

#[test]
fn refused_requests_name_their_resource() {
    const NGINX: &str =
        r#", client: 203.0.113.9, server: shop, request: "GET /a%20b?c=1 HTTP/1.1", host: "shop""#;
    const APACHE: &str =
        "[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1:tid 2] [client 203.0.113.9:5001] ";
    let nginx = |text: &str| format!("2026/07/08 09:10:11 [error] 1#1: *7 {text}{NGINX}");
    let apache = |text: &str| format!("{APACHE}{text}");
    for (line, action, resource, path) in [
        (nginx("access forbidden by rule"), "request_denied", "/a%20b", "/a%20b"),
        (nginx("directory index of \"/srv/a b/\" is forbidden"), "request_denied", "/a%20b", "/a%20b"),
        (nginx("open() \"/srv/a b\" failed (13: Permission denied)"), "request_denied", "/a%20b", "/a%20b"),
        (nginx("open() \"/srv/a b\" failed (2: No such file or directory)"), "request_not_found", "/a%20b", "/a%20b"),
        (nginx("\"/srv/a b/index.html\" is not found (2: No such file or directory)"), "request_not_found", "/a%20b", "/a%20b"),
        (
            nginx("FastCGI sent in stderr: \"Primary script unknown\" while reading response header from upstream"),
            "request_not_found",
            "/a%20b",
            "/a%20b",
        ),
        (nginx("limiting requests, excess: 4.000 by zone \"forms\""), "request_rate_limited", "/a%20b", "/a%20b"),
        (nginx("client sent invalid header line: \"x\""), "request_malformed", "/a%20b", "/a%20b"),
        (apache("AH01630: client denied by server configuration: /srv/x"), "request_denied", "/srv/x", ""),
        (apache("AH01631: user anna: authorization failure for \"/a/\": "), "request_denied", "/a/", "/a/"),
        (apache("AH01276: Cannot serve directory /srv/: No matching DirectoryIndex (a)"), "request_denied", "/srv/", ""),
        (apache("File does not exist: /srv/x, referer: http://shop/"), "request_not_found", "/srv/x", ""),
        (apache("AH01264: stderr from /cgi-bin/t: script not found or unable to stat"), "request_not_found", "/cgi-bin/t", ""),
        (apache("script '/srv/x.php' not found or unable to stat"), "request_not_found", "/srv/x.php", ""),
        (apache("AH10244: invalid URI path (/../etc/passwd)"), "request_malformed", "/../etc/passwd", "/../etc/passwd"),
        (apache("AH00135: Invalid method in request PROBE / HTTP/1.1"), "request_malformed", "", ""),
        (
            "[Wed Jul 08 09:10:11 2026] [core:error] [pid 1:tid 2] (13)Permission denied: [client 203.0.113.9:1] \
             AH00035: access to /a denied (filesystem path '/srv/a') because search permissions are missing"
                .to_owned(),
            "request_denied",
            "/a",
            "/a",
        ),
    ] {
        let found = fields(&line, &["event.action", "client.address", "error.resource", "url.path"]);
        assert_eq!(found, [action, "203.0.113.9", resource, path], "{line}");
    }
}

#[test]
fn errors_of_the_server_are_no_refusals() {
    const CLIENT: &str = r#", client: 203.0.113.9, server: shop, request: "GET / HTTP/1.1", host: "shop""#;
    for text in [
        "no user/password was provided for basic authentication",
        "connect() failed (111: Connection refused) while connecting to upstream",
        "client intended to send too large body: 99999999 bytes",
        "client sent plain HTTP request to HTTPS port while reading client request headers",
        "delaying request, excess: 0.5, by zone \"forms\"",
        "FastCGI sent in stderr: \"PHP message: PHP Warning:  mysqli_connect(): authentication failed in /srv/a.php on line 7\" while reading",
        "FastCGI sent in stderr: \"PHP message: Access denied for user 'shop'@'localhost'\" while reading",
    ] {
        let line = format!("2026/07/08 09:10:11 [error] 1#1: *7 {text}{CLIENT}");
        assert_eq!(value(&line, "event.action"), None, "{line}");
    }
}

#[test]
fn a_web_application_firewall_names_rule_class_and_request() {
    const MESSAGE: &str = "ModSecurity: Warning. detected SQLi using libinjection with fingerprint 's&1' [file \"/r.conf\"] \
        [line \"65\"] [id \"942100\"] [msg \"SQL Injection Attack\"] [data \"x: \\\"] [id \\\"1\\\"\"] [severity \"CRITICAL\"] \
        [tag \"application-multi\"] [tag \"attack-sqli\"] [hostname \"shop\"] [uri \"/search\"] [unique_id \"aw-1\"]";
    for line in [
        format!(
            "[Wed Jul 08 09:10:11 2026] [security2:error] [pid 1:tid 2] [client 203.0.113.9:1] [client 203.0.113.9] {MESSAGE}"
        ),
        format!(
            "2026/07/08 09:10:11 [warn] 1#1: *7 [client 203.0.113.9] {MESSAGE}, client: 203.0.113.9, server: shop, request: \
             \"GET /search?q=1 HTTP/1.1\", host: \"shop\""
        ),
    ] {
        let found = fields(
            &line,
            &[
                "event.action",
                "client.address",
                "rule.id",
                "rule.category",
                "http.request.id",
                "error.resource",
            ],
        );
        assert_eq!(
            found,
            ["request_flagged", "203.0.113.9", "942100", "attack-sqli", "aw-1", "/search"],
            "{line}"
        );
    }
    let line = "[Wed Jul 08 09:10:11 2026] [security2:notice] [pid 1:tid 2] ModSecurity: LUA compiled version=\"Lua 5.1\"";
    assert_eq!(value(line, "event.action"), None);
}

#[test]
fn a_locked_account_of_tomcat_is_a_refused_login() {
    let line = "08-Jul-2026 09:10:11.123 WARNING [http-nio-8080-exec-3] \
                org.apache.catalina.realm.LockOutRealm.filterLockedAccounts An attempt was made to authenticate the locked user [admin]";
    assert_eq!(
        fields(line, &["event.action", "process.name", "user.name"]),
        ["login_failed", "tomcat", "admin"]
    );
    assert_eq!(
        value(
            "08-Jul-2026 09:10:11.123 INFO [main] org.apache.catalina.startup.Catalina.start Server startup",
            "event.action"
        ),
        None
    );
}
