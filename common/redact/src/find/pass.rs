//! One pass through one text: the rules are called where the scan has found candidates, from left to right.

use memchr::memmem;

use super::overlap::push;
use super::scan::{LINE, Rule, Seen};
use super::text::Text;
use super::{
    Examined, Finder, Secret, address, aws, bare, chpasswd, code, command, cookie, email, fold, hash, header,
    jwt, pair, private_key, shaped, sql, ssn, token, url, windows,
};
use crate::entity::{EntityType, Match};

/// Number of literals collected before their rules are applied; a line may add a few for each byte.
const MANY_HITS: usize = 256;

/// Resume positions of the rules.
#[derive(Default)]
struct Resume {
    pair: usize,
    header: usize,
    cookie: usize,
    private_key: usize,
    jwt: usize,
    token: usize,
    address: usize,
    command: usize,
    chpasswd: usize,
    registry: usize,
    identified: usize,
    hash: usize,
    code: usize,
}

/// One pass through one text.
pub(super) struct Pass<'s, 't> {
    pub(super) finder: &'s Finder,
    pub(super) text: &'s Text<'t>,
    matches: &'s mut Vec<Match>,
    resume: Resume,
    holds_disguise: bool,
}

impl<'s, 't> Pass<'s, 't> {
    pub(super) fn new(finder: &'s Finder, text: &'s Text<'t>, matches: &'s mut Vec<Match>) -> Self {
        Self { finder, text, matches, resume: Resume::default(), holds_disguise: false }
    }

    /// Applies all rules. Returns whether the text holds a disguise of [`super::fold`].
    pub(super) fn run(mut self) -> bool {
        let seen = self.scan();
        if seen.numbers {
            self.digits();
        }
        self.rare(seen);
        self.marks();
        self.holds_disguise
    }

    /// Scans the text, applies the rules of literals in their order, and returns the other rules to call.
    fn scan(&mut self) -> Seen {
        let (finder, text) = (self.finder, self.text);
        let (mut seen, mut hits) = (Seen::default(), Vec::new());
        finder.literals.each_line(finder.shapes, text.bytes(), |line| {
            line.look_at_shapes(text, &mut seen);
            finder.literals.in_line(text, line, |at, rule| match rule {
                Rule::Disguise => self.holds_disguise |= !fold::is_byte_order_mark(text, at),
                _ => hits.push((at, rule)),
            });
            if hits.len() >= MANY_HITS {
                // A literal that is found later begins behind this.
                self.apply_before((line.start() + LINE).saturating_sub(finder.literals.longest()), &mut hits);
            }
        });
        self.apply_before(usize::MAX, &mut hits);
        seen
    }

    /// Applies the rules of the literals that begin before `end`, and forgets these.
    fn apply_before(&mut self, end: usize, hits: &mut Vec<(usize, Rule)>) {
        hits.sort_unstable();
        let settled = hits.partition_point(|(at, _)| *at < end);
        for (at, rule) in hits.drain(..settled) {
            self.apply(rule, at);
        }
    }

    fn apply(&mut self, rule: Rule, at: usize) {
        let text = self.text;
        match rule {
            Rule::Pair | Rule::Session => {
                let names = &self.finder.names;
                self.go_on(|resume| &mut resume.pair, at, || pair::examine(text, at, names));
            }
            Rule::Header => self.go_on(|resume| &mut resume.header, at, || header::examine(text, at)),
            Rule::Cookie => {
                let matches = &mut *self.matches;
                let on = self.finder.entities;
                let resume = &mut self.resume.cookie;
                if at < *resume {
                    return;
                }
                let examined = cookie::examine(text, at, |secret| push(matches, on, secret));
                *resume = examined.map_or(*resume, |examined| examined.resume);
            }
            Rule::PrivateKey => {
                self.go_on(|resume| &mut resume.private_key, at, || private_key::examine(text, at))
            }
            Rule::Jwt => self.go_on(|resume| &mut resume.jwt, at, || jwt::examine(text, at)),
            Rule::Token(form) => {
                let Some(form) = token::FORMS.get(form) else { return };
                self.go_on(|resume| &mut resume.token, at, || token::examine(text, at, form));
            }
            Rule::Sendgrid => self.push(token::examine_sendgrid(text, at)),
            Rule::Bearer => self.push(header::examine_bearer(text, at)),
            Rule::AwsId => self.push(aws::examine_id(text, at)),
            Rule::AwsName => self.push(aws::examine_name(text, at)),
            Rule::NamedSsn(name) => self.push(ssn::examine_named(text, at, name.as_bytes())),
            Rule::Twilio => {
                let examined = token::examine(text, at, &token::TWILIO_FORM);
                // It is of one length, and no other token ends where it does.
                self.push(examined.and_then(|examined| examined.secret));
            }
            Rule::Azure => self.push(shaped::examine_azure(text, at)),
            Rule::Square => self.push(shaped::examine_square(text, at)),
            Rule::Putty => {
                self.go_on(|resume| &mut resume.private_key, at, || private_key::examine_putty(text, at))
            }
            Rule::Hash(length) => {
                self.go_on(|resume| &mut resume.hash, at, || hash::examine(text, at, length))
            }
            Rule::Code => self.go_on(|resume| &mut resume.code, at, || code::examine(text, at)),
            Rule::Identified => {
                self.go_on(|resume| &mut resume.identified, at, || sql::examine_identified(text, at))
            }
            Rule::Net => self.go_on(|resume| &mut resume.command, at, || windows::examine_net(text, at)),
            Rule::SecureString => {
                self.go_on(|resume| &mut resume.command, at, || windows::examine_secure_string(text, at));
            }
            Rule::Command(program) => self.command(program, at),
            Rule::Chpasswd => {
                let (matches, on) = (&mut *self.matches, self.finder.entities);
                if at >= self.resume.chpasswd {
                    let examined = chpasswd::examine(text, at, |secret| push(matches, on, secret));
                    self.resume.chpasswd = examined.map_or(at, |examined| examined.resume);
                }
            }
            Rule::Registry => {
                self.go_on(|resume| &mut resume.registry, at, || bare::examine_registry(text, at));
            }
            Rule::Key | Rule::Disguise | Rule::CodeKey => {}
        }
    }

    fn command(&mut self, program: command::Program, at: usize) {
        if at < self.resume.command {
            return;
        }
        let (matches, on) = (&mut *self.matches, self.finder.entities);
        let examined = command::examine(self.text, at, program, |secret| push(matches, on, secret));
        self.resume.command = examined.map_or(self.resume.command, |examined| examined.resume);
    }

    /// Calls a rule that reads ahead, unless it has read past `at` already.
    fn go_on(
        &mut self,
        place: impl FnOnce(&mut Resume) -> &mut usize,
        at: usize,
        examine: impl FnOnce() -> Option<Examined>,
    ) {
        let resume = place(&mut self.resume);
        if at < *resume {
            return;
        }
        let Some(examined) = examine() else { return };
        *resume = examined.resume.max(at);
        self.push(examined.secret);
    }

    /// Calls the rules that are found by a single byte.
    fn marks(&mut self) {
        let (text, on) = (self.text, self.finder.entities);
        if memchr::memchr(b'@', text.bytes()).is_some() {
            for mark in url::MARKS {
                for scheme_end in memmem::find_iter(text.bytes(), mark) {
                    self.push(url::examine(text, scheme_end, scheme_end + mark.len()));
                }
            }
        }
        if on.contains(EntityType::Email) {
            for at in memchr::memchr_iter(b'@', text.bytes()) {
                self.push(email::examine(text, at));
            }
        }
        if on.contains(EntityType::IpAddress) {
            for colon in memchr::memchr_iter(b':', text.bytes()) {
                self.go_on(|resume| &mut resume.address, colon, || address::examine_v6(text, colon));
            }
        }
    }

    /// Calls the rules for shapes that few texts have.
    fn rare(&mut self, seen: Seen) {
        let text = self.text;
        if seen.dotted {
            for dot in memchr::memchr_iter(b'.', text.bytes()) {
                self.push(token::examine_discord(text, dot));
            }
        }
        if seen.tabled {
            for dot in memchr::memchr_iter(b'.', text.bytes()) {
                self.push(shaped::examine_airtable(text, dot));
            }
        }
    }

    pub(super) fn push(&mut self, secret: Option<Secret>) {
        if let Some(secret) = secret {
            push(self.matches, self.finder.entities, secret);
        }
    }
}
