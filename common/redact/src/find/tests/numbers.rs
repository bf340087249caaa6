//! Cards, bank accounts, social security numbers, and types that are off by default.

use super::{everything, finds, finds_nothing};
use crate::EntityType::{CreditCard, Email, Iban, IpAddress, Phone, Ssn};
use crate::{Policy, Redactor};

#[test]
fn cards_are_found() {
    let redactor = everything();
    for marked in [
        "«4111111111111111»",
        "card «4111 1111 1111 1111» 12/27",
        "«4111-1111-1111-1111»",
        "«4222222222222»",
        "«378282246310005» «3782 822463 10005»",
        "«30569309025904» «3056-930902-5904»",
        "«6011111111111117» «5555555555554444» «2223003122003222» «3530111333300000»",
        "\"pan\":\"«4012888888881881»\"",
        r"\n«4012888888881881»\n",
        "«4111111111111111».",
    ] {
        finds(&redactor, CreditCard, marked);
    }
    for text in [
        "4111111111111112",
        "0.4111111111111111",
        "4111111111111111.5",
        "x4111111111111111",
        "4111111111111111f",
        "41111111111111110000",
        "4111 1111-1111 1111",
        "1234-4111111111111111",
        "4111-1111-1111-1111-1",
        "1111111111111117",
        "0000000000000000",
        "2024-01-01 12:00:00.4111111111111111",
        "1700000000000000000",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn bank_accounts_are_found() {
    let redactor = everything();
    for marked in [
        "«DE89370400440532013000»",
        "iban «DE89 3704 0044 0532 0130 00» x",
        "«GB29NWBK60161331926819»",
        "«NO9386011117947»",
        "«FR1420041010050500013M02606»",
        "(«MT84MALT011000012345MTLCAST001S»)",
        r"\n«GB29 NWBK 6016 1331 9268 19»",
    ] {
        finds(&redactor, Iban, marked);
    }
    for text in [
        "DE89370400440532013001",
        "DE8937040044053201300",
        "DE893704004405320130000",
        "XX89370400440532013000",
        "de89370400440532013000",
        "ADE89370400440532013000",
        "DE89 3704 0044 0532 0130 0",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn social_security_numbers_are_found() {
    let redactor = everything();
    for marked in [
        "«123-45-6789»",
        "ssn «123-45-6789».",
        "ssn: «123456789»",
        "SSN=«123456789»",
        "\"ssn\":\"«123456789»\"",
        "user_ssn=«123456789»",
        "Social Security Number: «123 45 6789»",
        "social security #«123456789»",
    ] {
        finds(&redactor, Ssn, marked);
    }
    for text in [
        "123456789",
        "000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000",
        "1-123-45-6789",
        "123-45-6789-1",
        "123-45-67890",
        "0.123-45-6789",
        "0.123-45-6789",
        "ssn 1234567890",
        "lessn 123456789",
        "ssn 000456789",
    ] {
        finds_nothing(&redactor, text);
    }
}

#[test]
fn mail_phone_and_addresses_are_found_when_asked_for() {
    let redactor = everything();
    for marked in
        ["«bob@example.com»", "mail <«a.b+c@mail.example.co.uk»>.", r"\n«bob@example.com»,", "_«x@y.zz»"]
    {
        finds(&redactor, Email, marked);
    }
    for marked in [
        "«+49 30 1234567»",
        "call «(415) 555-2671» now",
        "«415-555-2671»",
        "«415.555.2671».",
        "«+14155552671»",
    ] {
        finds(&redactor, Phone, marked);
    }
    for marked in [
        "from «10.0.0.1» port",
        "«192.168.1.254»:80",
        "«2001:db8::1»",
        "[«::1»]:80",
        "«fe80::1%»eth0",
        "«1.2.3.4».",
    ] {
        finds(&redactor, IpAddress, &marked.replace("%»", "»%"));
    }
    for text in [
        "bob@localhost",
        "@example.com",
        "a@b.c",
        "git@host:repo",
        "115-555-2671",
        "+1234",
        "1-415-555-2671-9",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "12:34:56",
        "v1.2.3.4",
        "std::fs",
        "key::value",
    ] {
        finds_nothing(&redactor, text);
    }
    // The end of a text too long for an address is none, however far it is from where that begins.
    for colons in 8..60 {
        finds_nothing(&redactor, &format!("{}55 ", ":".repeat(colons)));
        finds_nothing(&redactor, &format!("{}::55 ", "a:".repeat(colons)));
    }
    let by_default = Redactor::new(&Policy::default()).unwrap();
    finds_nothing(&by_default, "bob@example.com +14155552671 10.0.0.1 2001:db8::1");
}
