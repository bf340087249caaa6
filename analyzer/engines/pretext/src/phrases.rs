//! Groups of phrases: classes of the lexicon that stand near each other. Each group is a feature of the model, which has its weight, and a
//! statement for reasons.

use crate::lexicon::Class::{self, *};

/// Purpose of a group of phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
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
    /// A request to turn protection off.
    Protection,
    /// A change of the channel.
    Switch,
    /// A sign of an ordinary text.
    Relief,
}

/// A group of phrases.
#[derive(Debug)]
pub struct Phrase {
    /// Statement without a subject: "asks for a password".
    pub says: &'static str,
    /// Classes, all of which stand in the text.
    pub(crate) needs: &'static [Class],
    /// Words from the first to the last of them at most.
    pub(crate) within: usize,
    /// Purpose.
    pub purpose: Purpose,
}

const fn phrase(purpose: Purpose, needs: &'static [Class], within: usize, says: &'static str) -> Phrase {
    Phrase { says, needs, within, purpose }
}

use Purpose::{
    Credentials, Payment, Pressure, Pretext, Protection, Relief, Run as Execute, Switch as Channel,
};

/// All groups.
pub(crate) static PHRASES: [Phrase; 59] = [
    phrase(Credentials, &[Give, Credential], 12, "asks for a password, a code or card data"),
    phrase(Credentials, &[Verify, Credential], 8, "asks to confirm a password, a code or card data"),
    phrase(Credentials, &[Login, Credential], 12, "asks to sign in with a password"),
    phrase(Credentials, &[Give, Credential, Deadline], 40, "asks for it in a hurry"),
    phrase(Pretext, &[Verify, Personal], 7, "asks to confirm personal data"),
    phrase(Pretext, &[Verify, Account], 6, "asks to confirm an account"),
    phrase(Pretext, &[Give, Personal], 8, "asks for personal data"),
    phrase(Pretext, &[Click, Login], 15, "leads to a login"),
    phrase(Pretext, &[Click], 1, "leads to a link or an attachment"),
    phrase(Pretext, &[Incident], 1, "names an event that calls for action"),
    phrase(Pretext, &[Incident, Login], 40, "asks to sign in because of it"),
    phrase(Pretext, &[Incident, Click, Deadline], 60, "sends the reader to a link in a hurry"),
    phrase(Pretext, &[Incident, Click], 40, "sends the reader to a link because of it"),
    phrase(Pretext, &[Deadline, Click], 25, "urges the reader to a link"),
    phrase(Pretext, &[Login, Deadline], 25, "urges the reader to sign in"),
    phrase(Pretext, &[Click, Credential], 40, "leads to a link for a password, a code or card data"),
    phrase(Pretext, &[Incident, Consequence], 40, "names an event with a consequence"),
    phrase(Pretext, &[Prize, Click], 45, "leads to a link for it"),
    phrase(Payment, &[Fee, Click], 40, "leads to a link for the payment"),
    phrase(Pretext, &[Account, Consequence], 10, "threatens the loss of an account"),
    phrase(Pretext, &[Account, Consequence, Click], 60, "offers a link against it"),
    phrase(Pressure, &[Consequence], 1, "names a consequence"),
    phrase(Pressure, &[Deadline], 1, "sets a deadline"),
    phrase(Pressure, &[Deadline, Consequence], 25, "sets a deadline with a consequence"),
    phrase(Pressure, &[Login, Deadline, Consequence], 40, "asks to sign in before a deadline"),
    phrase(Payment, &[Fee], 1, "names a small amount"),
    phrase(Payment, &[Fee, Deadline], 30, "asks for a small amount in a hurry"),
    phrase(Payment, &[Fee, Consequence], 30, "asks for a small amount against a consequence"),
    phrase(Payment, &[Fee, Incident], 30, "asks for a small amount because of an event"),
    phrase(Payment, &[Untraceable], 1, "names a payment that cannot be called back"),
    phrase(Payment, &[Untraceable, Give], 25, "asks to send such a payment or its codes"),
    phrase(Payment, &[Untraceable, Deadline], 45, "asks for such a payment in a hurry"),
    phrase(Payment, &[Untraceable, Secrecy], 60, "asks for such a payment in secret"),
    phrase(Payment, &[Untraceable, Consequence], 45, "asks for such a payment against a consequence"),
    phrase(Payment, &[Bankchange], 1, "announces another bank account"),
    phrase(Payment, &[Bankchange, Wire], 40, "asks for payments to another bank account"),
    phrase(Payment, &[Bankchange, Deadline], 45, "asks for payments to it in a hurry"),
    phrase(Payment, &[Bankchange, Secrecy], 45, "discourages questions about it"),
    phrase(Payment, &[Wire, Deadline], 30, "asks for a transfer in a hurry"),
    phrase(Payment, &[Wire, Secrecy], 60, "asks for a transfer in secret"),
    phrase(Pretext, &[Secrecy, Deadline], 40, "asks for secrecy in a hurry"),
    phrase(Pretext, &[Prize], 1, "promises money or a prize"),
    phrase(Pretext, &[Prize, Give], 45, "asks for something in return"),
    phrase(Pretext, &[Prize, Fee], 45, "asks for a payment in return"),
    phrase(Pretext, &[Prize, Personal], 45, "asks for personal data in return"),
    phrase(Pretext, &[Prize, Deadline], 45, "promises it for a short time"),
    phrase(Pretext, &[Prize, Switch], 60, "leads to another channel for it"),
    phrase(Channel, &[Switch, Deadline], 30, "urges to another channel"),
    phrase(Channel, &[Switch, Incident], 60, "leads to another channel because of an event"),
    phrase(Channel, &[Newnumber], 1, "names a new telephone number"),
    phrase(Channel, &[Newnumber, Switch], 60, "leads to it"),
    phrase(Payment, &[Newnumber, Wire], 60, "asks for a payment from a new telephone number"),
    phrase(Credentials, &[Reply, Own], 10, "asks the reader to hand over a secret"),
    phrase(Execute, &[Run], 1, "asks to execute something"),
    phrase(Execute, &[Run, Deadline], 45, "asks to execute it in a hurry"),
    phrase(Execute, &[Run, Incident], 45, "asks to execute it because of an event"),
    phrase(Execute, &[Run, Consequence], 45, "asks to execute it against a consequence"),
    phrase(Protection, &[Disable], 1, "asks to turn protection off"),
    phrase(Relief, &[Ignore], 1, "says that nothing needs to be done"),
];
