//! Generated text: secrets of every kind, near misses, separators, log line shapes and plain noise, in any
//! order. All secrets are random or put together and open nothing.

use proptest::prelude::*;
use proptest::string::string_regex;

/// Text that a rule may or must find something in, with the parts that scanners look for kept apart.
pub(crate) fn secret() -> impl Strategy<Value = String> {
    let patterns = [
        concat!("gh", "[pousr]_[A-Za-z0-9]{34,38}"),
        concat!("github", "_pat_[A-Za-z0-9_]{34,60}"),
        concat!("gl", "(pat|rt|dt|ptt)-[A-Za-z0-9_.-]{18,44}"),
        concat!("xo", "x[bpaed]-[0-9A-Za-z-]{14,30}"),
        concat!("[rs]k_", "(live|test)_[A-Za-z0-9]{14,26}"),
        concat!("AI", "za[A-Za-z0-9_-]{34,36}"),
        concat!("pal", "_live_[A-Za-z0-9]{36}"),
        concat!("s", "k-(proj-|ant-)?[A-Za-z_-]{0,9}[A-Za-z0-9]{15,40}"),
        concat!("S", "G\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{42,44}"),
        concat!("S", "K[0-9a-f]{31,33}"),
        concat!("do", "p_v1_[0-9a-f]{64}"),
        concat!("h", "f_[A-Za-z0-9]{28,36}"),
        concat!("1", "//0[A-Za-z0-9_-]{38,60}"),
        concat!("hooks.slack", ".com/services/T[A-Z0-9]{8}/B[A-Z0-9]{8}/[A-Za-z0-9]{24}"),
        concat!("[?&]", "sig=[A-Za-z0-9%/+]{38,46}(%3D|=)?"),
        "[MNO][A-Za-z0-9_-]{22,28}\\.[A-Za-z0-9_-]{5,7}\\.[A-Za-z0-9_-]{26,40}",
        "[0-9]{7,11}:AA[A-Za-z0-9_-]{32,34}",
        concat!("A[KS]", "IA[A-Z0-9]{15,17}[:, \"=]{0,2}( secret )?[A-Za-z0-9/+]{39,41}"),
        "(aws_)?[Ss]ecret[ _]?([Aa]ccess[ _])?[Kk]ey[ =:]{1,3}[A-Za-z0-9/+]{39,41}",
        concat!("ey", "J[h0rlz][A-Za-z0-9_-]{5,20}\\.[A-Za-z0-9_-]{9,30}(\\.[A-Za-z0-9_-]{0,20}){0,4}"),
        concat!(
            "-----BEGIN ",
            "(RSA |EC )?(PRIVATE|PUBLIC) KEY( BLOCK)?-----(\n|\\\\n| )[A-Za-z0-9+/=:, -]{0,40}(\n|\\\\n)?(-----END (RSA )?PRIVATE KEY-----)?"
        ),
        "[a-z]{2,8}://[a-z:]{0,6}:[a-z@%!*]{0,8}@[a-z.]{1,8}",
        "(Proxy-)?[Aa]uthorization[\":= \\[\\\\]{1,5}(Bearer |Basic |Digest |token |Foo |AWS4-HMAC-SHA256 )?([A-Za-z0-9=,]{0,12}Signature=)?[A-Za-z0-9/=.]{0,20}",
        "[Bb]earer [A-Za-z0-9._~-]{10,30}",
        "(Set-)?[Cc]ookie[\"']?: ?\"?[a-z]{1,5}=[a-z0-9&)*]{0,9}(; ?(Path|Secure|[a-z]{1,3}|Expires)(=[a-zA-Z0-9 ,\"]{0,8})?){0,3}\"?",
        "(4[0-9]{3}|5[1-5][0-9]{2}|3[47][0-9]{2})([ -]?[0-9]{4}){2,3}[ -]?[0-9]{0,4}",
        "[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,6}[A-Z0-9]{0,3}",
        "(ssn|SSN|Social Security( Number)?)[ :=\"#]{0,4}[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}",
        "[0-9]{3}-[0-9]{2}-[0-9]{4}",
        "[a-z0-9._+]{1,8}@[a-z0-9-]{1,6}(\\.[a-z0-9]{1,4}){0,3}",
        "(\\+[0-9]{1,3}[ (-]{0,2}[0-9]{2,4}([ .-]?[0-9]{2,4}){1,3})|(\\(?[2-9][0-9]{2}\\)?[ .-]?[2-9][0-9]{2}[.-][0-9]{4})",
        "[0-9]{1,3}(\\.[0-9]{1,3}){2,4}",
        "[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}",
    ];
    prop_oneof![9 => prop::sample::select(patterns.to_vec()).prop_flat_map(|pattern| string_regex(pattern).unwrap()), 1 => valid()]
}

/// Numbers that pass their checks, which random ones seldom do.
fn valid() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "4111111111111111",
        "4111 1111 1111 1111",
        "5555-5555-5555-4444",
        "378282246310005",
        "3782 822463 10005",
        "30569309025904",
        "6011111111111117",
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "GB29NWBK60161331926819",
        "NO9386011117947",
        "MT84MALT011000012345MTLCAST001S",
        "4000000000000000006",
    ])
    .prop_map(str::to_owned)
}

/// A name, a separator and a value in any of the notations, well formed or nearly.
fn pair() -> impl Strategy<Value = String> {
    let name = "(DB_|db\\.|my-|user|access|auth|id|x-api-|--|-|<|\\(|\\\\n|%20)?([Pp]assword|PASSWD|pwd|pass|passphrase|secret|client_secret|clientSecret|api[_.-]?[kK]ey|token|Token|accessToken|credentials?|session_?id|private_key|username|access_key_id|tokens|secretName|X-Amz-Signature)(_prod|[0-9]|_hash|Value|_type)?";
    let separator = "(\\\\{0,3}[\"'`])?(\\]|%5D)?[ \t]{0,2}(=|:|=>|:=|==|::|://| |>)[ \t]{0,2}\\[?";
    let value = "[a-zA-Z0-9*<>_.$\\\\{é-]{0,12}( [a-z]{1,5}[ =:]?)?";
    let word = prop::sample::select(vec![
        "null",
        "***",
        "<redacted>",
        "${DB}",
        "$TOKEN",
        "{{x}}",
        "xxxx",
        "incorrect",
        "true",
        "[FILTERED]",
        "hunter2",
        "<JWT_REDACTED>**",
        "AKIAABCDEFGHIJKLMNOP",
        "{\"a\":1}",
        "user=bob",
        "a\\\"b",
        "a\\\\",
        "\\n",
    ]);
    let value = prop_oneof![string_regex(value).unwrap(), word.prop_map(str::to_owned)];
    let quote = prop::sample::select(vec!["", "", "\"", "'", "`", "\\\"", "\\\\\\\""]);
    (
        string_regex(name).unwrap(),
        string_regex(separator).unwrap(),
        quote.clone(),
        value,
        quote,
        any::<bool>(),
    )
        .prop_map(|(name, separator, open, value, close, balanced)| {
            let close = if balanced { open } else { close };
            format!("{name}{separator}{open}{value}{close}")
        })
}

/// Text in between: joiners, prose, shapes of log lines, bytes of no meaning.
fn between() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "",
        " ",
        " ",
        ",",
        ";",
        "&",
        "\n",
        "\"",
        "'",
        "\\n",
        "\\\"",
        "\\\\",
        "%20",
        "\\u0020",
        "_",
        "-",
        ".",
        "/",
        "=",
        ":",
        "@",
        "://",
        "<",
        ">",
        "*",
        "é",
        "日",
        "\u{200b}",
        "\u{ad}",
        "\u{430}",
        "p\u{430}ss",
        "＝",
        "ｔｏｋｅｎ：",
        "\u{0}",
        "\t",
        "(",
        ")]}",
        "Failed password for invalid user admin from 10.0.0.1 port 22 ssh2\n",
        "pam_unix(passwd:chauthtok): password changed for bob\n",
        "2024-05-01T12:00:00.123456789Z INFO ",
        "{\"level\":\"info\",\"msg\":\"",
        "10.0.0.1 - - [01/May/2024:12:00:00 +0000] \"GET /a?b=c HTTP/1.1\" 200 12 ",
        "token expired ",
        "AKIA",
        "secret",
        "authorization",
        "cookie",
        "bearer ",
        "-----",
        "eyJ",
        "ghp_",
        "sk-",
        "pass",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => string_regex("[ -~é]{0,12}").unwrap()]
}

/// A text of such pieces.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![3 => secret(), 3 => pair(), 5 => between()];
    prop::collection::vec(piece, 1..10).prop_map(|pieces| pieces.concat())
}

/// Bytes that need not be UTF-8, with pieces among them.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..12);
    let piece = prop_oneof![text().prop_map(String::into_bytes), noise];
    prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}
