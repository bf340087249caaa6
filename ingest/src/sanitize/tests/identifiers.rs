//! Values that detection groups by.

use super::masks;

#[test]
fn identifiers_are_left() {
    for line in [
        r#"{"accessKeyId":"AKIAIOSFODNN7EXAMPLE","principalId":"AROAIOSFODNN7EXAMPLE:session"}"#,
        r#"{"user.name":"password=hunter2","request_id":"4111111111111111"}"#,
        r#"{"userArn":"arn:aws:iam::123456789012:user/alice","account_id":"DE89370400440532013000"}"#,
        r#"{"request_id":"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","user":"https://bob:hunter2@example.com/"}"#,
    ] {
        masks(line);
    }
}

#[test]
fn what_has_a_form_of_its_own_is_masked_in_identifiers() {
    for line in [
        r#"{"user.name":"x «ghp_aB3dE6gH9jK2aB3dE6gH9jK2aB3dE6gH9jK2»"}"#,
        r#"{"request_id":"token=«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.aB3dE6gH9jK2aB3dE6gH»"}"#,
        r#"{"user":["-«----BEGIN PRIVATE KEY-----\\nMIIEaB3dE6gH9jK2\\n-----END PRIVATE KEY-----»"]}"#
            .replace("-«----", "«-----")
            .as_str(),
    ] {
        masks(line);
    }
}

#[test]
fn disguises_are_seen_through_in_identifiers_and_structures() {
    for line in [
        r#"{"user":"«ghp_aB3dE6gH9~jK2aB3dE6gH9jK2aB3dE6gH9jK2»"}"#,
        r#"{"user":"«eyJhbGciOiJIUzI1NiJ9.~eyJzdWIiOiIxMjM0In0.aB3dE6gH9jK2aB3dE6gH»"}"#,
        r#"{"a":["sshpass","-~p","«ZwPw1234»"]}"#,
        r#"{"a":["ss~hpass","-p","«ZwPw1234»"]}"#,
        r#"{"a":["run","--pass~word","«ZwPw1234»"]}"#,
        r#"{"name":"DB_PASS~WORD","value":"«ZwPw1234»"}"#,
        r#"{"na~me":"DB_PASSWORD","va~lue":"«ZwPw1234»"}"#,
        r#"{"user":"bob","p~ass":"«ZwPw1234»"}"#,
    ] {
        masks(&line.replace('~', "\u{200b}"));
    }
    masks("{\"name\":\"DB_P\u{410}SSWORD\",\"value\":\"«ZwPw1234»\"}");
}
