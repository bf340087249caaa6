//! Rules of pretexts: classes of phrases that stand near each other, each with a weight. Weights were balanced on the texts in
//! `corpus/*/development` only.

use super::lexicon::Class::{self, *};

/// Effect of a rule beside its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pretext.
    Pretext,
    /// A request for credentials.
    Credentials,
    /// A request for money.
    Payment,
    /// Pressure.
    Pressure,
    /// A request to execute something.
    Run,
    /// A change of the channel.
    Switch,
    /// A sign of an ordinary text.
    Relief,
}

/// A rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Statement without a subject: "asks for a password".
    pub(crate) says: &'static str,
    /// Classes.
    pub(crate) needs: &'static [Class],
    /// Words from the first to the last phrase at most.
    pub(crate) within: usize,
    /// Weight.
    pub(crate) weight: i32,
    /// Effect.
    pub(crate) kind: Kind,
}

const fn rule(kind: Kind, needs: &'static [Class], within: usize, weight: i32, says: &'static str) -> Rule {
    Rule { says, needs, within, weight, kind }
}

/// Sum of weights from which on a text is a pretext, or a request to execute something.
pub(crate) const THRESHOLD: i32 = 7;
/// Sum from which on it is worth a note.
pub(crate) const NOTABLE: i32 = 5;

use Kind::{Credentials, Payment, Pressure, Pretext, Relief, Run as Execute, Switch as Channel};

/// All rules.
pub(crate) static RULES: [Rule; 59] = [
    rule(Credentials, &[Give, Credential], 12, 3, "asks for a password, a code or card data"),
    rule(Credentials, &[Verify, Credential], 8, 2, "asks to confirm a password, a code or card data"),
    rule(Credentials, &[Login, Credential], 12, 2, "asks to sign in with a password"),
    rule(Credentials, &[Give, Credential, Deadline], 40, 1, "asks for it in a hurry"),
    rule(Pretext, &[Verify, Personal], 7, 2, "asks to confirm personal data"),
    rule(Pretext, &[Verify, Account], 6, 1, "asks to confirm an account"),
    rule(Pretext, &[Give, Personal], 8, 2, "asks for personal data"),
    rule(Pretext, &[Click, Login], 15, 1, "leads to a login"),
    rule(Pretext, &[Click], 1, 1, "leads to a link or an attachment"),
    rule(Pretext, &[Incident], 1, 1, "names an event that calls for action"),
    rule(Pretext, &[Incident, Login], 40, 2, "asks to sign in because of it"),
    rule(Pretext, &[Incident, Click, Deadline], 60, 1, "sends the reader to a link in a hurry"),
    rule(Pretext, &[Incident, Click], 40, 1, "sends the reader to a link because of it"),
    rule(Pretext, &[Deadline, Click], 25, 1, "urges the reader to a link"),
    rule(Pretext, &[Login, Deadline], 25, 1, "urges the reader to sign in"),
    rule(Pretext, &[Click, Credential], 40, 1, "leads to a link for a password, a code or card data"),
    rule(Pretext, &[Incident, Consequence], 40, 1, "names an event with a consequence"),
    rule(Pretext, &[Prize, Click], 45, 1, "leads to a link for it"),
    rule(Payment, &[Fee, Click], 40, 1, "leads to a link for the payment"),
    rule(Pretext, &[Account, Consequence], 10, 2, "threatens the loss of an account"),
    rule(Pretext, &[Account, Consequence, Click], 60, 1, "offers a link against it"),
    rule(Pressure, &[Consequence], 1, 1, "names a consequence"),
    rule(Pressure, &[Deadline], 1, 1, "sets a deadline"),
    rule(Pressure, &[Deadline, Consequence], 25, 1, "sets a deadline with a consequence"),
    rule(Pressure, &[Login, Deadline, Consequence], 40, 1, "asks to sign in before a deadline"),
    rule(Payment, &[Fee], 1, 1, "names a small amount"),
    rule(Payment, &[Fee, Deadline], 30, 2, "asks for a small amount in a hurry"),
    rule(Payment, &[Fee, Consequence], 30, 2, "asks for a small amount against a consequence"),
    rule(Payment, &[Fee, Incident], 30, 1, "asks for a small amount because of an event"),
    rule(Payment, &[Untraceable], 1, 1, "names a payment that cannot be called back"),
    rule(Payment, &[Untraceable, Give], 25, 2, "asks to send such a payment or its codes"),
    rule(Payment, &[Untraceable, Deadline], 45, 2, "asks for such a payment in a hurry"),
    rule(Payment, &[Untraceable, Secrecy], 60, 3, "asks for such a payment in secret"),
    rule(Payment, &[Untraceable, Consequence], 45, 2, "asks for such a payment against a consequence"),
    rule(Payment, &[Bankchange], 1, 3, "announces another bank account"),
    rule(Payment, &[Bankchange, Wire], 40, 2, "asks for payments to another bank account"),
    rule(Payment, &[Bankchange, Deadline], 45, 2, "asks for payments to it in a hurry"),
    rule(Payment, &[Bankchange, Secrecy], 45, 2, "discourages questions about it"),
    rule(Payment, &[Wire, Deadline], 30, 2, "asks for a transfer in a hurry"),
    rule(Payment, &[Wire, Secrecy], 60, 4, "asks for a transfer in secret"),
    rule(Pretext, &[Secrecy, Deadline], 40, 1, "asks for secrecy in a hurry"),
    rule(Pretext, &[Prize], 1, 2, "promises money or a prize"),
    rule(Pretext, &[Prize, Give], 45, 2, "asks for something in return"),
    rule(Pretext, &[Prize, Fee], 45, 2, "asks for a payment in return"),
    rule(Pretext, &[Prize, Personal], 45, 2, "asks for personal data in return"),
    rule(Pretext, &[Prize, Deadline], 45, 1, "promises it for a short time"),
    rule(Pretext, &[Prize, Switch], 60, 3, "leads to another channel for it"),
    rule(Channel, &[Switch, Deadline], 30, 2, "urges to another channel"),
    rule(Channel, &[Switch, Incident], 60, 2, "leads to another channel because of an event"),
    rule(Channel, &[Newnumber], 1, 1, "names a new telephone number"),
    rule(Channel, &[Newnumber, Switch], 60, 1, "leads to it"),
    rule(Payment, &[Newnumber, Wire], 60, 6, "asks for a payment from a new telephone number"),
    rule(Credentials, &[Reply, Own], 10, 4, "asks the reader to hand over a secret"),
    rule(Execute, &[Run], 1, 2, "asks to execute something"),
    rule(Execute, &[Run, Deadline], 45, 2, "asks to execute it in a hurry"),
    rule(Execute, &[Run, Incident], 45, 2, "asks to execute it because of an event"),
    rule(Execute, &[Run, Consequence], 45, 2, "asks to execute it against a consequence"),
    rule(Execute, &[Disable], 1, 4, "asks to turn protection off"),
    rule(Relief, &[Ignore], 1, -3, "says that nothing needs to be done"),
];

/// Weight of each warning of fraud, up to twice.
pub(crate) const WARNING: i32 = -3;
/// Weight of each phrase of ordinary business, up to twice.
pub(crate) const ROUTINE: i32 = -1;
