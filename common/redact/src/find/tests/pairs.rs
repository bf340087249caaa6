//! Names and their values, headers, cookies and URLs.

use super::{finds, finds_nothing};
use crate::EntityType::{Authorization, Cookie, Password, Secret};
use crate::{Policy, Redactor};

fn redactor() -> Redactor {
    Redactor::new(&Policy::default()).unwrap()
}

#[test]
fn values_of_password_names_are_found_in_every_notation() {
    let redactor = redactor();
    for marked in [
        "password=«hunter2»",
        "PASSWORD = «hunter2» next",
        "passwd:«hunter2», user: bob",
        "pwd='«hun ter»'",
        "login user=bob password=\"«a b;c»\" from 10.0.0.1",
        r#"{"user":"bob","password":"«p\"x\\»","n":1}"#,
        r#"{"msg":"{\"password\":\"«hunter\\\"2»\",\"a\":1}"}"#,
        r#""{\\\"password\\\":\\\"«hunter2»\\\"}""#,
        "GET /login?user=bob&password=«hunter2»&next=/ HTTP/1.1",
        "password: «hunter2»",
        "  db_password:   «hunter2» # yes",
        "mysql --password «hunter2» -u root",
        "mysql --password=«hunter2» -u root",
        "login -Password '«hunter2»'",
        "DB_PASSWORD=«hunter2»",
        "MYSQL_PASS=«hunter2»",
        "DB_PASSWORD_PROD=«hunter2»",
        "password1=«hunter2»&password2=«hunter2»",
        "userPassword=«hunter2»",
        "{:password=>\"«hunter2»\"}",
        "{'sqlpassword': '«hunter2»'}",
        "user[password]=«hunter2»",
        "user%5Bpassword%5D=«hunter2»&a=b",
        "Server=db;User Id=sa;Password=«hunter2»;Encrypt=no",
        "User{name=bob, password=«hunter2»}",
        "<password>«hunter2»</password>",
        "<ns:Password>«hunter2»</ns:Password>",
        r"line one\npassword=«hunter2»\nline three",
        "password=«pässwörd»",
        r"password=«dom\ain»",
        "passphrase: «correct-horse»",
        "password: «secret» user: bob",
        "\"password\": [\"«hunter2»\"]",
        "\"password\":\"«cut off at the end»",
    ] {
        finds(&redactor, Password, marked);
    }
}

#[test]
fn values_of_other_sensitive_names_are_found() {
    let redactor = redactor();
    for marked in [
        "secret=«abc»",
        "client_secret=«abc»&x=1",
        "clientSecret: '«abc»'",
        "api_key=«abc» apikey=«abc» API-KEY: «abc»",
        "X-Api-Key: «abc»",
        "\"xApiKey\":\"«abc»\"",
        "access_token=«abc»&token_type=bearer",
        "\"refreshToken\": \"«abc»\"",
        "id_token=«abc»",
        "token=«abc»",
        r"\ntoken=«abc»",
        "%26token=«abc»",
        "csrf.token=«abc»",
        "private_key=«abc»",
        "credential=«abc» credentials=«abc»",
        "session_id=«0123456789»",
        "JSESSIONID=«0123456789»",
        "AWS_SECRET_ACCESS_KEY=«abc»",
        "sessionid: token: «abc»",
        "AccountKey=«abc»;EndpointSuffix=x",
        "SharedAccessKey=«abc»",
        "X-Amz-Signature=«abc»",
        "oauth2token=«abc»",
    ] {
        finds(&redactor, Secret, marked);
    }
}

#[test]
fn prose_identifiers_and_placeholders_are_left_alone() {
    let redactor = redactor();
    for text in [
        "Failed password for invalid user admin from 10.0.0.1 port 22 ssh2",
        "Accepted password for bob",
        "token expired",
        "invalid token: signature mismatch",
        "password: incorrect for user",
        "pam_unix(passwd:chauthtok): password changed for bob",
        "passwd: password updated successfully",
        "token_type=bearer token_count=5 tokens=17",
        "secretName: x, secret_id=4, password_policy=strict",
        "accessKeyId=abc aws_access_key_id=AKIAABCDEFGHIJKLMNOP",
        "passed=4 compass=3 bypass=1 broken=2",
        "pass=3 fail=4",
        "password= user=bob",
        "password=*** token=****1234",
        "password=<redacted> password=[FILTERED] password=REDACTED",
        "password=null, token: true, secret: None",
        "password=${DB_PASSWORD} token=$TOKEN secret={{ .Values.secret }} pwd=%PWD%",
        r#"{"password":null,"token":"","secret":"***","credentials":{"a":1},"tokens":["a"]}"#,
        "if password == x",
        "std::token::next",
        "vault secret://kv/path",
        "TerminalSessionId=12345678901 sessionId: 4",
        "PWD /home/bob",
        "use the --password -u flags",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn names_of_the_policy_are_found_and_exempt_ones_are_not() {
    let policy = Policy {
        sensitive_keys: vec!["pin_code".into(), "sesame".into(), "ses".into()],
        exempt_keys: vec!["session_id".into()],
        ..Policy::default()
    };
    let redactor = Redactor::new(&policy).unwrap();
    finds(&redactor, Secret, "PIN_CODE=«1234» my-pin_code=«12» open.sesame=«x» ses=«y» sessionId=0123456789");
    finds_nothing(&redactor, "xpin_code=1234 pincode=1");
    assert!(redactor.is_sensitive_key("card.pin_code") && !redactor.is_exempt_key("card.pin_code"));
    assert!(redactor.is_exempt_key("sessionId") && !redactor.is_sensitive_key("session.id"));
}

#[test]
fn keys_are_sensitive_exempt_or_neither() {
    let redactor = redactor();
    for key in [
        "password",
        "db.password",
        "DB_PASSWORD",
        "http.request.header.authorization",
        "Cookie",
        "set-cookie",
        "client_secret",
        "apiKey",
        "session.id",
        "sessionToken",
        "x-api-key",
        "cvv",
        "refresh_token",
    ] {
        assert!(redactor.is_sensitive_key(key) && !redactor.is_exempt_key(key), "{key}");
    }
    for key in
        ["accessKeyId", "user.name", "userIdentity.principalId", "trace_id", "SpanId", "enduser.id.user"]
    {
        assert!(redactor.is_exempt_key(key) && !redactor.is_sensitive_key(key), "{key}");
    }
    for key in ["body", "http.route", "gen_ai.usage.input_tokens", "k8s.secret.name", "", "é", "tokenizer"] {
        assert!(!redactor.is_exempt_key(key) && !redactor.is_sensitive_key(key), "{key}");
    }
}

#[test]
fn authorization_keeps_the_scheme() {
    let redactor = redactor();
    for marked in [
        "Authorization: Bearer «abc» x",
        "authorization: basic «dXNlcjpwYXNz»",
        "Proxy-Authorization: Basic «dXNlcjpwYXNz»",
        r#"{"authorization":"Token «abc def»"}"#,
        r#"\"Authorization\":\"Bearer «abc»\""#,
        "\"Authorization\":[\"Bearer «abc»\"]",
        "map[Authorization:[Bearer «abc»]]",
        "curl -H 'Authorization: ApiKey «abc»' https://x",
        "Authorization: Digest «username=\"a\", response=\"b\"»\nnext",
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAABCDEFGHIJKLMNOP/x, SignedHeaders=a;b, Signature=«0123abcd»\n",
        "Authorization: «0123456789abc»",
        "http.request.header.authorization=Bearer «abc»",
        "got bearer «abcdefghijklmnop1». then",
    ] {
        finds(&redactor, Authorization, marked);
    }
    for text in [
        "Authorization: denied",
        "authorization: required before access",
        "Authorization: Bearer ***",
        "the bearer of this letter",
        "bearer abcdefghijklmnopqrst",
        "authorization.k8s.io/decision",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn cookies_keep_names_and_attributes() {
    let redactor = redactor();
    for marked in [
        "Cookie: sid=«abc»; theme=«dark» status=200",
        "cookie: a=«b»",
        r#"{"cookie":"sid=«a]b»; t=«&x»"}"#,
        r#"\"Cookie\":\"sid=«abc»; x=«y»\""#,
        "Set-Cookie: id=«a3fWa»; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/; Secure; HttpOnly; SameSite=Lax",
        "Set-Cookie: id=«a»; Secure; Domain=example.com\nSet-Cookie: b=«c»",
        "Cookie: a=\"«b»\"; c=«d»",
    ] {
        finds(&redactor, Cookie, marked);
    }
    for text in [
        "cookie: none",
        "Cookie: a=; b=***",
        "Cookie: *******************=/abc; c=d",
        "cookies=4",
        "cookie policy: accepted",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn url_passwords_are_found() {
    let redactor = redactor();
    for marked in [
        "postgres://app:«s3cret»@db:5432/x",
        "https://bob:«p@ss:w»@example.com/a?b=c",
        "redis://:«pw»@cache/0",
        "mongodb+srv://u:«p»@h1:1,h2:2/db",
        "see <https://u:«p»@h>.",
    ] {
        finds(&redactor, Password, marked);
    }
    for text in
        ["https://example.com:8080/a@b", "http://bob@example.com", "http://a:***@b", "://u:p@h", "x://a:@b"]
    {
        finds_nothing(&redactor, text);
    }
}
