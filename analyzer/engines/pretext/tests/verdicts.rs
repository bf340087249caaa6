//! The model of the product on letters of each kind: what raises and lowers the score, and what does not hide a pretext.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use lookalikes::Brands;
use pretext::{Judged, Kind, Letter, Link, Pretexts, Sender};

static PRETEXTS: LazyLock<Pretexts<'static>> =
    LazyLock::new(|| Pretexts::load(include_bytes!("../../../../models/pretext.plm")).unwrap());
static BRANDS: LazyLock<Brands> = LazyLock::new(Brands::built_in);

fn judged(letter: &Letter<'_>, text: &str) -> Judged {
    let judging = PRETEXTS.begin(&BRANDS, &Letter { opening: text, ..letter.clone() });
    PRETEXTS.judge(&judging, &PRETEXTS.read(text))
}

fn mail<'l>(name: &'l str, address: &'l str, subject: &'l str, target: &'l str) -> Letter<'l> {
    Letter {
        sender: Some(Sender { name, address }),
        subject,
        links: vec![Link { shown: None, target }],
        ..Letter::anonymous(Kind::Mail)
    }
}

const SUSPENDED: &str = "Dear customer, we noticed unusual activity in your account. Confirm your password and your card details within \
    24 hours, otherwise your account will be suspended permanently.";
const MINUTES: &str = "Hi all, the minutes of the meeting on Tuesday are in the shared folder. Tom sends the figures of the third quarter \
    next week, and we meet again on the 14th at ten.";

fn phishing() -> Letter<'static> {
    mail(
        "PayPal Service",
        "service@account-notice-center.com",
        "Your account is limited",
        "http://verify-account-login.com/secure",
    )
}

fn ordinary() -> Letter<'static> {
    mail("Anna Berg", "anna.berg@bergmann.org", "Minutes", "https://bergmann.org/files/minutes")
}

#[test]
fn phishing_is_a_pretext_and_an_ordinary_mail_is_none() {
    assert!(judged(&phishing(), SUSPENDED).is_pretext);
    let ordinary = judged(&ordinary(), MINUTES);
    assert!(!ordinary.is_pretext && !ordinary.is_notable, "{ordinary:?}");
}

#[test]
fn reasons_name_facts_and_the_place_of_the_words() {
    let text = format!("{}\n{SUSPENDED}", MINUTES.repeat(6));
    let found = judged(&phishing(), &text);
    assert!(found.is_pretext && !found.says.is_empty(), "{found:?}");
    assert!(found.part.start > text.len() - SUSPENDED.len() - 40, "{:?} of {}", found.part, text.len());
    assert!(text.get(found.part).unwrap().split_whitespace().count() <= 40);
}

#[test]
fn ordinary_text_around_a_pretext_does_not_hide_it() {
    for (before, after) in [(0, 30), (30, 0), (30, 30)] {
        let text = format!("{}\n{SUSPENDED}\n{}", MINUTES.repeat(before), MINUTES.repeat(after));
        assert!(judged(&phishing(), &text).is_pretext, "{before}, {after}");
    }
}

#[test]
fn disguised_letters_change_no_word() {
    let plain = judged(&phishing(), SUSPENDED).margin;
    let disguised = SUSPENDED.replace('a', "\u{430}").replace("password", "pass\u{200b}word").to_uppercase();
    assert!((judged(&phishing(), &disguised).margin - plain).abs() < 0.5);
}

#[test]
fn contradictions_of_the_sender_raise_the_score_and_its_own_domain_lowers_it() {
    let margin = |letter: &Letter<'_>| judged(letter, SUSPENDED).margin;
    let own = mail("PayPal", "service@paypal.com", "Your account", "https://www.paypal.com/signin");
    assert!(margin(&own) < margin(&phishing()) - 1.0);
    let forged = Letter { is_forged: true, ..own.clone() };
    assert!(margin(&forged) > margin(&own), "a domain without proof is no trust");
    let replies = Letter { reply_to: vec!["desk@gmail.com"], ..own.clone() };
    assert!(margin(&replies) > margin(&own));
}

#[test]
fn a_page_with_the_text_of_phishing_is_a_pretext_and_a_manual_with_many_links_is_none() {
    let letter =
        |target| Letter { links: vec![Link { shown: None, target }; 9], ..Letter::anonymous(Kind::Document) };
    assert!(judged(&letter("http://paypa1.com/login"), SUSPENDED).is_pretext);
    let manual = "Install the package with the manager of your system. Sign in with your account to publish a version, and \
        confirm the address within a day. The password is stored in the key ring. See the links for details.";
    let found = judged(&letter("http://crates-badges.io/login"), manual);
    assert!(!found.is_pretext, "{found:?}");
}

#[test]
fn equal_letters_give_equal_judgements() {
    let one = judged(&phishing(), SUSPENDED);
    let two = judged(&phishing(), SUSPENDED);
    assert_eq!((one.margin, one.says, one.part), (two.margin, two.says, two.part));
}

#[test]
fn a_damaged_model_is_refused() {
    let mut bytes = include_bytes!("../../../../models/pretext.plm").to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(Pretexts::load(&bytes).is_err());
    assert!(Pretexts::load(include_bytes!("../../../../models/verify.plm")).is_err());
}

proptest::proptest! {
    #[test]
    fn no_letter_panics(text in "(\\PC|http://|@|\\+49 |€){0,60}", name in "\\PC{0,20}", address in "[a-z@.é-]{0,20}", target in "(http://|javascript:|//|www\\.)?[a-zé./@-]{0,30}") {
        let letter = mail(&name, &address, &text, &target);
        let found = judged(&letter, &text);
        assert!(text.get(found.part).is_some());
    }
}
