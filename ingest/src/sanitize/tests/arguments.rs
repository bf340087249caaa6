//! Arguments of commands in arrays.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue};

use super::{any, masks, sanitized_body, text};

#[test]
fn secret_arguments_are_masked_in_their_elements() {
    for line in [
        r#"{"a":["mysql","-uroot","-p«S3cret1»"]}"#,
        r#"{"a":["/usr/bin/mysqldump","-uroot","-p«S3cret1»","shop"]}"#,
        r#"{"a":["curl","-s","-u","bob:«S3cret1»","https://example.com/"]}"#,
        r#"{"a":["sshpass","-p","«S3cret1»","ssh","h"]}"#,
        r#"{"a":["run","--password","«S3cret1»"]}"#,
        r#"{"a":["run","--db-password","«S3c\"r\\et1»","--verbose"]}"#,
        r#"{"a":["java","--spring.datasource.hikari.connection.password","«S3cret1»"]}"#,
        r#"{"a":["openssl","rsa","-in","k","-passin","pass:«S3cret1»"]}"#,
        r#"{"a":["ldapsearch","-D","cn=admin","-w","«S3cret1»"]}"#,
        r#"{"a":["net","user","bob","«S3cret1»","/add"]}"#,
        r#"{"a":["net.exe","user","bob","«S3cret1»"]}"#,
        r#"{"a":[["run","--token","«S3cret1»"],["run","--token","«S3cret2»"]]}"#,
        r#"{"a":["mysql","-e","select 1;\nselect 2","-p«S3cret1»"]}"#,
        r#"{"a":["AKIAIOSFODNN7EXAMPLE","«wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12»"]}"#,
    ] {
        masks(line);
    }
}

#[test]
fn other_arguments_are_left() {
    for line in [
        r#"{"a":["mysql","-uroot","-h","db-1","shop"]}"#,
        r#"{"a":["docker","run","-p","8080:80","nginx"]}"#,
        r#"{"a":["run","--password","--verbose"]}"#,
        r#"{"a":["run","--password","${PASSWORD}"]}"#,
        r#"{"a":["password","username","token"]}"#,
        r#"{"a":["ssh","-p","22"],"b":["sshpass","-f","file"]}"#,
        r#"{"a":["it's","--verbose","don't"],"b":"a password"}"#,
    ] {
        masks(line);
    }
}

#[test]
fn what_a_text_alone_shows_is_masked_once() {
    masks(r#"{"a":["sh","-c","mysql -p'«S3cret1»' shop","--token","«S3cret2»"]}"#);
    masks(r#"{"a":["run","--header","Authorization: Digest «a=b, c=d»","--flag"]}"#);
    masks(r#"{"a":["run","https://bob:«hunter2»@example.com/","--flag"]}"#);
}

#[test]
fn no_place_in_an_array_hides_an_option() {
    for before in 0..200 {
        let filler = vec!["\"x\""; before].join(",");
        masks(&format!(
            r#"{{"a":[{filler}{}"--password","«S3cret1»","y"]}}"#,
            if before > 0 { "," } else { "" }
        ));
    }
    let long = "y".repeat(3_000);
    masks(&format!(r#"{{"a":["{long}","{long}","--password","«S3cret1»","{long}"]}}"#));
    // An element longer than its written part is masked to its end.
    masks(&format!(r#"{{"a":["--password","«{long}»","{long}"]}}"#));
    let eight = vec![format!("\"{long}\""); 40].join(",");
    masks(&format!(r#"{{"a":[{eight},"--password","«S3cret1»",{eight}]}}"#));
}

#[test]
fn bytes_and_numbers_are_arguments_too() {
    let values = [
        text("--password"),
        any(Value::IntValue(123_456)),
        text("--token"),
        any(Value::BytesValue(b"S3cret1".to_vec())),
    ];
    let values: Vec<AnyValue> = values.into_iter().flatten().collect();
    let (body, masked) = sanitized_body(any(Value::ArrayValue(ArrayValue { values })));
    let Some(Value::ArrayValue(ArrayValue { values })) = body else { panic!("an array was expected") };
    assert_eq!(masked, 2);
    assert_eq!(values[1].value, Some(Value::IntValue(0)));
    assert_eq!(values[3].value, Some(Value::BytesValue(b"*******".to_vec())));
}
