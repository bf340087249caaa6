//! Fields beside the text to facts: contradictions of the sender, links, attachments.

use std::collections::{BTreeMap, BTreeSet};

use linear_model::Feature;
use lookalikes::{Brands, Resemblance};
use url::{Host, Url};

use crate::hosts::{
    PROGRAMS, bare, has_lure, is_cheap, is_form, is_free_mail, is_hosting, is_shortener, label, registrable,
    shown_domain,
};
use crate::letter::{Kind, Letter, Link, Sender};

/// Links that are judged at most: a newsletter has hundreds.
const MOST_LINKS: usize = 300;
/// Different links that are few.
const FEW: usize = 3;
/// Bytes of the opening of a text that are searched for names.
const OPENING: usize = 2_000;
/// Letters of the shortest name that is searched for.
const LEAST_NAME: usize = 4;
/// Characters of a label of a domain from which on it is long.
const LONG_LABEL: usize = 18;

/// Tag of features of facts.
const TAG: u64 = 64;

/// A fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Name of its feature.
    pub(crate) name: &'static str,
    /// Statement for reasons; empty for a fact that is no reason by itself.
    pub says: &'static str,
    /// Whether phrases of the text are also weighed together with it.
    pub(crate) is_joined: bool,
}

impl Fact {
    pub(crate) fn feature(&self) -> Feature {
        Feature::of(self.name).tagged(TAG)
    }
}

const fn fact(name: &'static str, says: &'static str) -> Fact {
    Fact { name, says, is_joined: false }
}

const fn joined(name: &'static str, says: &'static str) -> Fact {
    Fact { name, says, is_joined: true }
}

const MAIL: Fact = fact("mail", "");
const MESSAGE: Fact = joined("message", "");

const FREE_SENDER: Fact = joined("free sender", "the sender uses a free mail service");
const FOREIGN_BRAND: Fact = joined("foreign brand", "the sender names a brand that is not its own");
const SUBJECT_BRAND: Fact = fact("subject brand", "the subject names a brand that is not the sender's");
const FOREIGN_ADDRESS: Fact = fact("foreign address", "the display name shows another address");
const REPLIES: Fact = joined("replies elsewhere", "replies go to another domain");
const FREE_REPLIES: Fact = fact("free replies", "replies go to a free mail service");
const LIKE_BRAND: Fact = joined("sender resembles", "the domain of the sender resembles that of a brand");
const OWN_BRAND: Fact = joined("own brand", "");
const TEXT_BRAND: Fact = joined("text brand", "the text names a brand that is not the sender's");
const NAMED_LINK: Fact = fact("named link", "");
const UNNAMED_LINK: Fact =
    joined("unnamed link", "a link leads to a domain that is named nowhere in the mail");
const CHEAP_SENDER: Fact = fact("cheap sender", "the domain of the sender has a suffix that costs little");
const HYPHEN_SENDER: Fact = fact("hyphen sender", "the domain of the sender is composed of words");
const LURE_SENDER: Fact = fact("lure sender", "the domain of the sender has words of requests");
const DIGIT_SENDER: Fact = fact("digit sender", "the domain of the sender has digits");
const LONG_SENDER: Fact = fact("long sender", "the domain of the sender is long");

const NO_LINK: Fact = joined("no link", "");
const ONE_LINK: Fact = joined("one link", "");
const FEW_LINKS: Fact = fact("few links", "");
const MANY_LINKS: Fact = fact("many links", "");
const FOREIGN_LINKS: Fact = joined("foreign links", "all links lead to another domain than the sender's");
const OWN_LINKS: Fact = joined("own links", "");
const BRAND_LINKS: Fact = joined("brand links", "");
const MISMATCH: Fact = fact("mismatch", "a link shows another domain than its target");
const SHORTENED: Fact = fact("shortened", "a link hides its target behind a short name");
const ADDRESS: Fact = fact("address", "a link has an IP address in place of a host name");
const HOSTED: Fact = joined("hosted", "a link leads to a page at a host for anyone");
const FORM: Fact = fact("form", "a link leads to a form at a service for anyone");
const LIKE_LINK: Fact = joined("link resembles", "a link leads to a domain that resembles that of a brand");
const CHEAP_LINK: Fact = fact("cheap link", "the domain of a link has a suffix that costs little");
const HYPHEN_LINK: Fact = fact("hyphen link", "the domain of a link is composed of words");
const LURE_LINK: Fact = fact("lure link", "the host of a link has words of requests");
const LURE_PATH: Fact = fact("lure path", "the path of a link has words of requests");
const DIGIT_LINK: Fact = fact("digit link", "the domain of a link has digits");
const LONG_LINK: Fact = fact("long link", "the domain of a link is long");
const PLAIN_LINK: Fact = fact("plain link", "a link has no TLS");
const PROGRAM_LINK: Fact = fact("program link", "a link leads to a program");
const EXECUTED: Fact = fact("executed", "a link has a target that is executed");
const USER_NAME: Fact = fact("user name", "a link has a user name before its host");

const PAGE: Fact = joined("page attached", "a web page is attached");
const ARCHIVE: Fact = joined("archive attached", "an archive is attached");
const PROGRAM: Fact = fact("program attached", "a program is attached");
const MACROS: Fact = fact("macros attached", "a document with macros is attached");
const PAPER: Fact = fact("document attached", "");

/// Facts of links that are deceptions wherever they stand.
const DECEPTIONS: [Fact; 4] = [ADDRESS, LIKE_LINK, EXECUTED, USER_NAME];

/// Endings of names of attachments with their facts.
const ENDINGS: [(&[&str], Fact); 5] = [
    (&[".html", ".htm", ".shtml", ".xhtml", ".svg", ".mht"], PAGE),
    (&[".zip", ".rar", ".7z", ".gz", ".tgz", ".iso", ".img", ".cab", ".ace", ".vhd"], ARCHIVE),
    (
        &[
            ".exe", ".scr", ".js", ".jse", ".vbs", ".lnk", ".bat", ".cmd", ".hta", ".msi", ".jar", ".wsf",
            ".ps1", ".one", ".apk",
        ],
        PROGRAM,
    ),
    (&[".docm", ".xlsm", ".xlam", ".pptm", ".dotm", ".xlsb"], MACROS),
    (&[".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".csv", ".ics", ".odt"], PAPER),
];

/// Facts of a letter beside its text.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    pub(crate) facts: BTreeSet<Fact>,
}

impl Circumstances {
    /// The facts of a letter. Time is linear in its links.
    #[must_use]
    pub fn of(brands: &Brands, letter: &Letter<'_>) -> Self {
        let mut facts = BTreeSet::from([match letter.kind {
            Kind::Mail => MAIL,
            // Pages and files have texts of every kind, and no sender, like messages.
            Kind::Message | Kind::Document => MESSAGE,
        }]);
        let opening = letter.opening.get(..letter.opening.floor_char_boundary(OPENING)).unwrap_or_default();
        let sender_name = letter.sender.map_or("", |sender| sender.name);
        let named = dense(&format!("{sender_name} {} {opening}", letter.subject));
        if let Some(sender) = letter.sender {
            facts.extend(of_sender(brands, letter, (sender, opening)));
        }
        let own = letter.sender.and_then(|sender| domain(sender.address));
        let links = of_links(brands, letter, own.as_deref(), &named);
        // Links of documents and pages lead everywhere: only a deception is a fact there.
        facts.extend(
            links.into_iter().filter(|fact| letter.kind != Kind::Document || DECEPTIONS.contains(fact)),
        );
        for name in &letter.attachments {
            let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
            let of = ENDINGS.iter().filter(|(ends, _)| ends.iter().any(|end| name.ends_with(end)));
            facts.extend(of.map(|(_, fact)| *fact));
        }
        Self { facts }
    }
}

/// Registrable domain of an address.
fn domain(address: &str) -> Option<String> {
    registrable(address.rsplit_once('@')?.1)
}

fn of_sender(brands: &Brands, letter: &Letter<'_>, (sender, opening): (Sender<'_>, &str)) -> Vec<Fact> {
    let Some((_, host)) = sender.address.rsplit_once('@') else { return Vec::new() };
    let host = host.to_ascii_lowercase();
    let Some(own) = registrable(&host) else { return Vec::new() };
    let is_foreign = |brand: &str| !brands.owns(brand, &own);
    let is_free = is_free_mail(&own);
    let replies: Vec<String> = letter.reply_to.iter().filter_map(|address| domain(address)).collect();
    let resembles =
        brands.lookalike(&host).is_some_and(|found| found.resemblance != Resemblance::OtherSuffix);
    let shown =
        sender.name.split(|char: char| char.is_whitespace() || matches!(char, '<' | '>' | '(' | ')' | '"'));
    let mut shown = shown.filter_map(|word| registrable(word.rsplit_once('@')?.1));
    let own_label = label(&own);
    let found = [
        (is_free, FREE_SENDER),
        (brands.named(sender.name).is_some_and(is_foreign), FOREIGN_BRAND),
        (brands.named(letter.subject).is_some_and(is_foreign), SUBJECT_BRAND),
        (brands.named(opening).is_some_and(is_foreign), TEXT_BRAND),
        (shown.any(|shown| shown != own), FOREIGN_ADDRESS),
        (replies.iter().any(|reply| *reply != own), REPLIES),
        (!is_free && replies.iter().any(|reply| is_free_mail(reply)), FREE_REPLIES),
        (resembles, LIKE_BRAND),
        (!is_free && !letter.is_forged && brands.owner(&host).is_some(), OWN_BRAND),
        (is_cheap(&own), CHEAP_SENDER),
        (own_label.contains('-'), HYPHEN_SENDER),
        (has_lure(&host), LURE_SENDER),
        (own_label.bytes().any(|byte| byte.is_ascii_digit()), DIGIT_SENDER),
        (own_label.len() >= LONG_LABEL, LONG_SENDER),
    ];
    found.into_iter().filter(|(is_found, _)| *is_found).map(|(_, fact)| fact).collect()
}

/// Letters and digits of a text in lower case.
fn dense(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a dense text names a domain by its label.
fn names(dense_text: &str, domain: &str) -> bool {
    let label = dense(label(domain));
    label.len() >= LEAST_NAME && dense_text.contains(&label)
}

/// Counts of the different hosts of links.
#[derive(Default)]
struct Tally {
    foreign: usize,
    own: usize,
    of_brands: usize,
}

fn of_links(brands: &Brands, letter: &Letter<'_>, own: Option<&str>, named: &str) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    let mut targets: BTreeSet<&str> = BTreeSet::new();
    let mut hosts: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    let mut tally = Tally::default();
    let opening = letter.opening.get(..letter.opening.floor_char_boundary(OPENING)).unwrap_or_default();
    let written = opening.split_whitespace().filter_map(bare).map(|target| Link { shown: None, target });
    for link in letter.links.iter().copied().chain(written).take(MOST_LINKS) {
        let target = link.target.trim();
        let spelled = match target.get(..4) {
            Some(head) if head.eq_ignore_ascii_case("www.") => format!("http://{target}"),
            _ if target.starts_with("//") => format!("https:{target}"),
            _ if !target.contains(':') => format!("https://{target}"),
            _ => target.to_owned(),
        };
        let Ok(url) = Url::parse(&spelled) else { continue };
        if matches!(url.scheme(), "javascript" | "vbscript" | "data" | "file") {
            facts.insert(EXECUTED);
        }
        if !matches!(url.scheme(), "http" | "https" | "ftp") {
            continue;
        }
        targets.insert(target);
        let Some(Host::Domain(host)) = url.host() else {
            facts.insert(ADDRESS);
            tally.foreign += 1;
            continue;
        };
        let domain = registrable(host);
        if domain.as_deref() == own && own.is_some() {
            tally.own += 1;
        } else {
            tally.foreign += 1;
            let is_named = domain.as_deref().is_some_and(|domain| names(named, domain));
            facts.insert(if is_named { NAMED_LINK } else { UNNAMED_LINK });
        }
        let (resembles, of_brand) = *hosts.entry(host.to_owned()).or_insert_with(|| {
            let found =
                brands.lookalike(host).is_some_and(|found| found.resemblance != Resemblance::OtherSuffix);
            (found, brands.owner(host).is_some() && !is_hosting(host) && !is_form(host, url.path()))
        });
        tally.of_brands += usize::from(of_brand);
        facts.extend(of_link(&url, host, resembles));
        let shown = link.shown.and_then(shown_domain);
        if shown.zip(domain).is_some_and(|(shown, domain)| shown != domain) {
            facts.insert(MISMATCH);
        }
    }
    facts.insert(match targets.len() {
        0 => NO_LINK,
        1 => ONE_LINK,
        2..=FEW => FEW_LINKS,
        _ => MANY_LINKS,
    });
    let all = tally.foreign + tally.own;
    let shares = [
        (own.is_some() && all > 0 && tally.own == 0, FOREIGN_LINKS),
        (tally.own > 0, OWN_LINKS),
        (all > 0 && tally.of_brands == all, BRAND_LINKS),
    ];
    facts.extend(shares.into_iter().filter(|(is_found, _)| *is_found).map(|(_, fact)| fact));
    facts
}

fn of_link(url: &Url, host: &str, resembles: bool) -> Vec<Fact> {
    let path = url.path().to_ascii_lowercase();
    let domain = registrable(host).unwrap_or_default();
    let own_label = label(&domain);
    let found = [
        (!url.username().is_empty(), USER_NAME),
        (url.scheme() == "http", PLAIN_LINK),
        (PROGRAMS.iter().any(|end| path.ends_with(end)), PROGRAM_LINK),
        (is_shortener(host), SHORTENED),
        (is_hosting(host), HOSTED),
        (is_form(host, &path), FORM),
        (resembles, LIKE_LINK),
        (is_cheap(&domain), CHEAP_LINK),
        (own_label.contains('-'), HYPHEN_LINK),
        (has_lure(host), LURE_LINK),
        (has_lure(&path), LURE_PATH),
        (own_label.bytes().any(|byte| byte.is_ascii_digit()), DIGIT_LINK),
        (own_label.len() >= LONG_LABEL, LONG_LINK),
    ];
    found.into_iter().filter(|(is_found, _)| *is_found).map(|(_, fact)| fact).collect()
}
