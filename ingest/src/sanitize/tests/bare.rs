//! The keys `pass`, `auth`, `code` and `pwd`.

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
        r#"{"name":"opt","pass":"inlining"}"#,
        r#"{"low-pass":"40Hz","render_pass":"shadow","boardingPass":"A12"}"#,
        r#"{"draw":4,"pass":"gbuffer01"}"#,
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

#[test]
fn codes_of_oauth_are_masked() {
    for line in [
        r#"{"code":"«SplxlOBeZQQYbYS6WxSbIA»","redirect_uri":"https://h/cb","grant_type":"authorization_code"}"#,
        r#"{"query":{"code":"«SplxlOBeZQQYbYS6WxSbIA»","state":"x"}}"#,
        r#"{"query":{"state":"x","code":"«0f1e2d3c4b5a69788796»"}}"#,
        r#"{"a":{"code_verifier":"x","code":"«0f1e2d3c4b5a69788796»"},"code":"0f1e2d3c4b5a69788796"}"#,
        r#"{"code":200,"state":"done"}"#,
        r#"{"code":"AADSTS50126","state":"failed"}"#,
        r#"{"code":"payment_declined_4031_by_issuer","state":"failed"}"#,
        r#"{"code":"payment_declined_by_issuer","grant_type":"authorization_code"}"#,
        r#"{"code":["SplxlOBeZQQYbYS6WxSbIA"],"state":"x"}"#,
        r#"{"http.status_code":"SplxlOBeZQQYbYS6WxSbIA","state":"x"}"#,
    ] {
        masks(line);
    }
}

#[test]
fn directories_under_pwd_are_left() {
    for line in [
        r#"{"env":{"PWD":"/root","OLDPWD":"/home/bob"}}"#,
        r#"{"name":"PWD","value":"/root"}"#,
        r#"{"pwd":"/home/bob/work"}"#,
        r#"{"pwd":"C:\\Users\\bob"}"#,
        r#"{"pwd":"«/hunter2»"}"#,
        r#"{"PWD":"«hunter2»","name":"pwd","value":"«hunter2»"}"#,
        r#"{"user":"sa","pwd":["«/root»"]}"#,
        r#"{"db.pwd":"«/root»"}"#,
    ] {
        masks(line);
    }
}
