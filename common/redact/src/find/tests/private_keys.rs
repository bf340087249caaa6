//! Private keys, however text has broken their lines.

use super::{everything, finds, finds_nothing};
use crate::EntityType::PrivateKey;

/// A line of 64 bytes.
const LINE: &str = "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC7VJTUt9Us8cKj";
/// A last line.
const REST: &str = "Kx2aB3dE6gH9jK2w";

#[test]
fn other_line_breaks_belong_to_the_key() {
    let redactor = everything();
    for template in [
        "rsyslogd: «-----BEGIN RSA PRIVATE KEY-----#012LINE#012LINE#015#012REST#012-----END RSA PRIVATE KEY-----» x",
        "key=«-----BEGIN PRIVATE KEY-----%0ALINE%0D%0ALINE%0A-----END PRIVATE KEY-----»%0A&next=1",
        "key=«-----BEGIN%20PRIVATE%20KEY-----%0ALINE%0AREST%3D%0A-----END%20PRIVATE%20KEY-----»&next=1",
        "key=«-----BEGIN+EC+PRIVATE+KEY-----%0ALINE%0ALINE%2B%0A-----END+EC+PRIVATE+KEY-----»&next=1",
        r#"["«-----BEGIN PRIVATE KEY-----", "LINE", "REST", "-----END PRIVATE KEY-----»"]"#,
        r#"["«-----BEGIN PRIVATE KEY-----\n","LINE\n","REST\n","-----END PRIVATE KEY-----»"]"#,
        "k = '«-----BEGIN PRIVATE KEY-----'\n  + 'LINE'\n  + 'LINE»'\n",
        "<p>«-----BEGIN PRIVATE KEY-----<br>LINE<br/>LINE<br />REST<br>-----END PRIVATE KEY-----»</p>",
        "> «-----BEGIN PRIVATE KEY-----\n> LINE\n> REST\n> -----END PRIVATE KEY-----»\n> yours",
    ] {
        finds(&redactor, PrivateKey, &template.replace("LINE", LINE).replace("REST", REST));
    }
}

#[test]
fn headers_of_a_key_hold_any_text() {
    let redactor = everything();
    for template in [
        "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2.0 - linux_x\nComment: Bob Jones <bob@x.org>\n\nLINE\nREST\n=aBcD\n-----END PGP PRIVATE KEY BLOCK-----» x",
        r"«-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: Bob Jones <bob@x.org>\n\nLINE\nLINE»",
    ] {
        finds(&redactor, PrivateKey, &template.replace("LINE", LINE).replace("REST", REST));
    }
}

#[test]
fn what_stands_behind_a_key_is_left() {
    let redactor = everything();
    for template in [
        r#"{"key":"«-----BEGIN PRIVATE KEY-----\nLINE»","fingerprint":"9f3b1c77aa02de45c6e18b20f4d5a9e31c0b7f8e2d4a6c5b3918e7f60d2c4b1a"}"#,
        r#"{"key":"«-----BEGIN PRIVATE KEY-----\nLINE\nREST»","name":"deploy"}"#,
        "k='«-----BEGIN PRIVATE KEY-----\nLINE»' and then; more",
    ] {
        finds(&redactor, PrivateKey, &template.replace("LINE", LINE).replace("REST", REST));
    }
    finds_nothing(&redactor, "-----BEGIN CERTIFICATE----- and -----BEGIN PUBLIC KEY-----");
}
