//! The keys `pass` and `auth`.

use super::masks;

#[test]
fn passwords_under_pass_are_masked() {
    for line in [
        r#"{"pass":"«hunter2x9»"}"#,
        r#"{"host":"db-1","Pass":"«hun\"ter2x9»"}"#,
        r#"{"pass":"«hunter»","user":"bob"}"#,
        r#"{"user":"bob","pass":"«1234»"}"#,
        r#"{"a":{"login":"bob","pass":"«hunter»"},"pass":"hunter"}"#,
    ] {
        masks(line);
    }
}

#[test]
fn counts_and_outcomes_under_pass_are_left() {
    for line in [
        r#"{"pass":12,"fail":3}"#,
        r#"{"pass":"12"}"#,
        r#"{"pass":"ok","user":"bob"}"#,
        r#"{"pass":"failed","user":"bob"}"#,
        r#"{"pass":"true","user":"bob"}"#,
        r#"{"pass":true,"user":"bob"}"#,
        r#"{"pass":"first"}"#,
        r#"{"pass":["one","two"],"user":"bob"}"#,
    ] {
        masks(line);
    }
}

#[test]
fn auth_is_masked_where_it_is_a_credential() {
    for line in [
        r#"{"auth":"«Ym9iOmh1bnRlcjI=»"}"#,
        r#"{"auths":{"registry.example.com":{"auth":"«Ym9iOmh1bnRlcjI=»"}}}"#,
        r#"{"docker.registry.auth":"«Ym9iOmh1bnRlcjI=»","registryAuth":"«Ym9iOmh1bnRlcjI=»"}"#,
        r#"{"auth":"basic"}"#,
        r#"{"auth":"sha256withRSA"}"#,
        r#"{"author":"Ym9iOmh1bnRlcjI="}"#,
        r#"{"auth":{"method":"password","type":"Ym9iOmh1bnRlcjI="}}"#,
    ] {
        masks(line);
    }
}

#[test]
fn many_a_pass_is_judged_in_linear_time() {
    let many = r#""pass":"hunter","#.repeat(50_000);
    masks(&format!("{{{many}\"host\":\"db-1\"}}"));
}
