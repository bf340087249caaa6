//! Phrases of pretexts, pressure and requests in nine languages. The phrases of one language are never combined with those of
//! another, since short words of different languages are spelled alike.

use text::{Hit, Lexicon, LexiconError, Word, phrases};

/// A file for each language.
const FILES: [&str; 9] = [
    include_str!("../data/en.txt"),
    include_str!("../data/de.txt"),
    include_str!("../data/fr.txt"),
    include_str!("../data/es.txt"),
    include_str!("../data/it.txt"),
    include_str!("../data/pt.txt"),
    include_str!("../data/nl.txt"),
    include_str!("../data/pl.txt"),
    include_str!("../data/sv.txt"),
];

/// Classes of phrases, named as in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Passwords, codes, card numbers.
    Credential,
    /// Personal data, data of payments, and their possession.
    Personal,
    /// Requests to confirm or update.
    Verify,
    /// Requests to sign in.
    Login,
    /// Requests to send or enter something.
    Give,
    /// Accounts and cards.
    Account,
    /// Consequences for readers who do nothing.
    Consequence,
    /// Deadlines.
    Deadline,
    /// Events that call for action.
    Incident,
    /// Links and attachments to open.
    Click,
    /// Small amounts to pay.
    Fee,
    /// Means of payment that cannot be called back.
    Untraceable,
    /// Changed bank details.
    Bankchange,
    /// Transfers of money.
    Wire,
    /// Secrecy and unreachability.
    Secrecy,
    /// Prizes, refunds, inheritances.
    Prize,
    /// Other channels.
    Switch,
    /// Commands, macros, remote control.
    Run,
    /// Protection to turn off.
    Disable,
    /// New telephone numbers of relatives.
    Newnumber,
    /// Requests to hand something over in a reply.
    Reply,
    /// Secrets of the reader.
    Own,
    /// "If this was not you, ignore this mail".
    Ignore,
    /// Warnings of fraud.
    Warn,
    /// Phrases of ordinary business.
    Routine,
    /// Words that introduce a quotation.
    Speech,
    /// Words that speak about attacks.
    Mention,
    /// Words of a prohibition.
    Forbid,
}

/// Names of the classes, in order.
const NAMES: [&str; CLASSES] = [
    "credential",
    "personal",
    "verify",
    "login",
    "give",
    "account",
    "consequence",
    "deadline",
    "incident",
    "click",
    "fee",
    "untraceable",
    "bankchange",
    "wire",
    "secrecy",
    "prize",
    "switch",
    "run",
    "disable",
    "newnumber",
    "reply",
    "own",
    "ignore",
    "warn",
    "routine",
    "speech",
    "mention",
    "forbid",
];

/// Number of classes.
pub(crate) const CLASSES: usize = Class::Forbid as usize + 1;

impl Class {
    /// Its bit in [`Hit::classes`].
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// The lexicons of all languages.
#[derive(Debug)]
pub struct Lexicons(Vec<Lexicon>);

impl Lexicons {
    /// Builds the automatons.
    pub(crate) fn new() -> Result<Self, LexiconError> {
        // A name that is not one of the classes gets a number that no lexicon takes.
        let class = |name| NAMES.iter().position(|known| *known == name).unwrap_or(usize::MAX);
        let build =
            |file: &&'static str| Lexicon::new(phrases(file).map(|(name, phrase)| (phrase, class(name))));
        FILES.iter().map(build).collect::<Result<_, _>>().map(Self)
    }

    /// Name of a class by its number; empty for another number.
    pub(crate) fn name(class: usize) -> &'static str {
        NAMES.get(class).copied().unwrap_or_default()
    }

    /// Hits of each language.
    pub fn hits<'l>(&'l self, text: &'l str, words: &'l [Word]) -> impl Iterator<Item = Vec<Hit>> + 'l {
        self.0.iter().map(move |lexicon| lexicon.hits(text, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::{fold, words};

    #[test]
    fn every_file_is_read_and_every_language_has_the_classes_of_pressure() {
        let lexicons = Lexicons::new().unwrap();
        assert_eq!(lexicons.0.len(), FILES.len());
        for file in FILES {
            let names: std::collections::BTreeSet<&str> = phrases(file).map(|(name, _)| name).collect();
            for name in &NAMES[..=Class::Routine as usize] {
                assert!(names.contains(name), "{name} is missing in {}", file.lines().next().unwrap());
            }
        }
    }

    #[test]
    fn phrases_are_found_in_their_language() {
        let lexicons = Lexicons::new().unwrap();
        let folded = fold("Bitte bestätigen Sie Ihr PASSWORT sofort").text;
        let words = words(&folded);
        let german = lexicons.hits(&folded, &words).nth(1).unwrap();
        let classes = german.iter().fold(0, |classes, hit| classes | hit.classes);
        for class in [Class::Verify, Class::Credential, Class::Deadline] {
            assert!(classes & class.bit() != 0, "{class:?}");
        }
    }
}
