//! Tokens of vendors, AWS keys, JSON Web Tokens and private keys. All of them are put together here and
//! open nothing.

use super::{everything, finds, finds_nothing};
use crate::EntityType::{ApiKey, Jwt, PrivateKey};

/// `length` bytes that look random and are none: letters of both cases and digits in turn.
fn filler(length: usize) -> String {
    "aB3dE6gH9jK2".chars().cycle().take(length).collect()
}

fn hexadecimal(length: usize) -> String {
    "0a1b2c3d4e5f".chars().cycle().take(length).collect()
}

#[test]
fn every_form_is_found_between_quotes_and_blanks() {
    let redactor = everything();
    let tokens = [
        ("pal_live_", filler(36)),
        ("ghp_", filler(36)),
        ("gho_", filler(36)),
        ("ghs_", filler(40)),
        ("github_pat_", filler(22) + "_" + &filler(59)),
        ("glpat-", filler(20)),
        ("glptt-", hexadecimal(40)),
        ("xoxb-", "1234567890-1234567890-".to_owned() + &filler(24)),
        ("xapp-", filler(30)),
        ("sk_live_", filler(24)),
        ("sk_test_", filler(24)),
        ("rk_live_", filler(24)),
        ("whsec_", filler(32)),
        ("AIza", filler(35)),
        ("ya29.", filler(40)),
        ("GOCSPX-", filler(28)),
        ("1//0", filler(60)),
        ("npm_", filler(36)),
        ("pypi-AgE", filler(80)),
        ("dckr_pat_", filler(27)),
        ("sk-", filler(48)),
        ("sk-proj-", filler(48)),
        ("sk-ant-api03-", filler(60)),
        ("hf_", filler(34)),
        ("SG.", filler(22) + "." + &filler(43)),
        ("SK", hexadecimal(32)),
        ("key-", hexadecimal(32)),
        ("dop_v1_", hexadecimal(64)),
        ("hvs.", filler(24)),
        ("dapi", hexadecimal(32)),
        ("shpat_", hexadecimal(32)),
        ("lin_api_", filler(40)),
        ("NRAK-", filler(27)),
        ("gsk_", filler(52)),
        ("123456789:AA", filler(33)),
        ("MTIz", filler(20) + "." + &filler(6) + "." + &filler(27)),
    ];
    for (prefix, body) in tokens {
        let token = format!("«{prefix}{body}»");
        for around in [("", ""), ("used ", " then"), ("\"", "\""), (r"\n", r"\n"), ("(", ")."), ("é", "é")]
        {
            finds(&redactor, ApiKey, &format!("{}{token}{}", around.0, around.1));
        }
    }
}

#[test]
fn webhooks_and_signatures_keep_what_names_them() {
    let redactor = everything();
    let path = format!("T0{}/B0{}/{}", filler(8), filler(8), filler(24));
    finds(&redactor, ApiKey, &format!("https://hooks.slack.com/services/«{path}» ok"));
    finds(
        &redactor,
        ApiKey,
        &format!("https://discord.com/api/webhooks/«123456789012345678/{}»", filler(68)),
    );
    finds(&redactor, ApiKey, &format!("https://api.telegram.org/bot«123456789:AA{}»/getMe", filler(33)));
    finds(&redactor, ApiKey, &format!("https://x.blob/y?se=2024&sig=«{}%3D»&sp=r", filler(43)));
}

#[test]
fn near_misses_of_tokens_are_left_alone() {
    let redactor = everything();
    for text in [
        format!("ghp_{}", filler(35)),
        format!("xghp_{}", filler(36)),
        format!("GHP_{}", filler(36)),
        format!("AIza{}", filler(34)),
        "sk-some-long-kebab-case-name-without".to_owned(),
        "disk-usage-of-host-0123456789012345".to_owned(),
        "sk-short1".to_owned(),
        format!("SG.{}.{}", filler(21), filler(43)),
        format!("pk_live_{}", filler(24)),
        format!("AC{}", hexadecimal(32)),
        "www.google.com and 1.2.build.3".to_owned(),
        "key-value pairs".to_owned(),
        "design=abc&sig=short".to_owned(),
        "12345:AAbc".to_owned(),
        format!("x123456789:AA{}", filler(33)),
    ] {
        finds_nothing(&redactor, &text);
    }
}

#[test]
fn aws_secret_keys_are_found_near_their_id_or_name() {
    let redactor = everything();
    let key = "wJalr/K7MDENG+bPxRfiCYzzzzzzzzzzzzzzz1KE";
    assert_eq!(key.len(), 40);
    let id = concat!("AKIA", "ABCDEFGHIJKLMNOP");
    finds(&redactor, ApiKey, &format!("{id}:«{key}»"));
    finds(&redactor, ApiKey, &format!("Access key ID,Secret access key\n{id},«{key}»"));
    finds(&redactor, ApiKey, &format!("AWS Secret Access Key [None]: {id} secret «{key}»"));
    finds(&redactor, ApiKey, &format!("aws_secret_access_key = «{key}»"));
    finds(&redactor, ApiKey, &format!("\"SecretAccessKey\": \"«{key}»\""));
    finds_nothing(&redactor, &format!("{id} {}", hexadecimal(40)));
    finds_nothing(&redactor, &format!("{id} <x> {key}"));
    finds_nothing(&redactor, &format!("object {key}"));
    finds_nothing(&redactor, &format!("{id}:{key}x"));
}

#[test]
fn json_web_tokens_are_found() {
    let redactor = everything();
    let token = format!("eyJh{}.eyJz{}.{}", filler(20), filler(30), filler(43));
    for (before, after) in [("", ""), ("jwt ", "."), ("'", "'"), (r"\n", r"\n"), ("a=", ";")] {
        finds(&redactor, Jwt, &format!("{before}«{token}»{after}"));
    }
    finds(&redactor, Jwt, &format!("token=«{token}»"));
    finds(&redactor, Jwt, &format!("«eyJl{0}.{0}.{0}.{0}.{0}»", filler(30)));
    finds(&redactor, Jwt, &format!("«eyJ0{0}.{0}» cut off", filler(30)));
    for text in [
        "eyJhbGci.abc",
        "xeyJhaaaaaaaaaaaa.aaaaaaaaaaaaaaaa",
        "eyJhaaaaaaaaaaaaaaaaaaa",
        "eyJhaaaaaaaaaaaaaa.aaaaaa.",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn private_keys_are_found_whole_escaped_and_cut_off() {
    let redactor = everything();
    let dashes = "-----";
    let body = filler(64);
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let (begin, end) = (format!("{dashes}BEGIN {label}{dashes}"), format!("{dashes}END {label}{dashes}"));
        finds(&redactor, PrivateKey, &format!("a «{begin}\n{body}\n{body}==\n{end}»\nb"));
        finds(&redactor, PrivateKey, &format!(r#""k":"«{begin}\n{body}\n{body}\n{end}»\n""#));
        finds(&redactor, PrivateKey, &format!(r#""k":"\"«{begin}\\n{body}\\n{end}»\\n\"""#));
        finds(
            &redactor,
            PrivateKey,
            &format!(
                "«{begin}\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,AB\r\n\r\n{body}\r\n{end}»\r\n"
            ),
        );
        finds(&redactor, PrivateKey, &format!("«{begin}\n{body}»\n"));
        finds(&redactor, PrivateKey, &format!("\"«{begin}\\n{body}»\" x"));
        finds(&redactor, PrivateKey, &format!(r#""«{begin}\n{body}»\"""#));
        // Dashes that are behind the one and before the other: the second is read for itself.
        finds(&redactor, PrivateKey, &format!("«{begin}-BEGIN {label}{dashes}\n{body}\n{end}»\n"));
        finds(&redactor, PrivateKey, &format!("«{begin}BEGIN {label}{dashes}\n{body}\n{end}»\n"));
    }
    finds_nothing(
        &redactor,
        &format!("{dashes}BEGIN PUBLIC KEY{dashes}\n{body}\n{dashes}END PUBLIC KEY{dashes}"),
    );
    finds_nothing(&redactor, &format!("{dashes}BEGIN CERTIFICATE{dashes}\n{body}"));
    finds_nothing(&redactor, &format!("{dashes}begin private key{dashes}"));
}

#[test]
fn a_key_found_by_its_shape_is_found_before_one_found_by_its_prefix() {
    let first = format!("«SK{}»", "0a".repeat(16));
    let second = format!("«xox{}-{}»", "b", "a1".repeat(10));
    finds(&everything(), ApiKey, &format!("{first}_{second} {first}"));
}
