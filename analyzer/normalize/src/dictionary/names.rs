//! The dictionary: field names as schemas and products spell them, squeezed to their letters and digits in lower
//! case, so that `Source IP`, `source_ip` and `sourceIp` are one entry. Schemas: ECS, OCSF, OpenTelemetry, Splunk's CIM,
//! Microsoft's ASIM, Google's UDM, CEF, LEEF; products by the field references in their documentation.

use super::{clients, events, people, things};
use crate::roles::Role;

/// No squeezed name of the dictionary is longer.
pub(super) const LONGEST: usize = 32;

/// Name, part, rank: the lower the rank, the more surely the name means the part.
pub(super) type Entry = (&'static str, Role, u8);

const LISTS: [&[Entry]; 4] = [clients::WORDS, people::WORDS, events::WORDS, things::WORDS];

const COUNT: usize = clients::WORDS.len() + people::WORDS.len() + events::WORDS.len() + things::WORDS.len();

/// All of them.
pub(super) const WORDS: [Entry; COUNT] = {
    let mut all = [("", Role::Message, 0); COUNT];
    let (mut list, mut at) = (0, 0);
    while list < LISTS.len() {
        let mut index = 0;
        while index < LISTS[list].len() {
            all[at] = LISTS[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    all
};
