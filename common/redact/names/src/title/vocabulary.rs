//! Words of job titles and nationalities.

/// Last words of job titles, in lower case.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const HEADS: &[&str] = &[
    "engineer", "developer", "manager", "director", "officer", "analyst", "architect", "designer",
    "consultant", "administrator", "assistant", "accountant", "lawyer", "attorney", "paralegal", "nurse",
    "physician", "surgeon", "doctor", "dentist", "pharmacist", "therapist", "teacher", "professor",
    "lecturer", "researcher", "scientist", "technician", "operator", "mechanic", "electrician", "plumber",
    "carpenter", "driver", "pilot", "clerk", "cashier", "receptionist", "secretary", "supervisor",
    "coordinator", "specialist", "representative", "recruiter", "publicist", "journalist", "editor", "writer",
    "author", "photographer", "actor", "musician", "chef", "cook", "waiter", "waitress", "bartender",
    "librarian", "translator", "interpreter", "auditor", "broker", "banker", "economist", "psychologist",
    "biologist", "chemist", "physicist", "geologist", "veterinarian", "drafter", "installer", "inspector",
    "trainer", "ceo", "cto", "cfo", "coo", "ciso", "president", "chairman", "chairwoman", "principal", "dean",
    "founder", "owner", "partner", "intern", "apprentice", "foreman", "superintendent", "programmer",
    "tester", "planner", "buyer", "salesperson", "agent", "adviser", "advisor", "ingenieur", "entwickler",
    "geschäftsführer", "directeur", "directrice", "ingénieur", "gerente", "ingeniero", "direttore",
    "ingegnere",
];
/// Nationalities and the like, in lower case.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const NATIONALITIES: &[&str] = &[
    "american", "british", "english", "scottish", "welsh", "irish", "canadian", "mexican", "brazilian",
    "argentinian", "argentine", "chilean", "colombian", "peruvian", "venezuelan", "cuban", "german", "french",
    "spanish", "italian", "portuguese", "dutch", "belgian", "swiss", "austrian", "polish", "czech", "slovak",
    "hungarian", "romanian", "bulgarian", "croatian", "serbian", "slovenian", "bosnian", "albanian", "greek",
    "turkish", "swedish", "norwegian", "danish", "finnish", "icelandic", "estonian", "latvian", "lithuanian",
    "ukrainian", "russian", "belarusian", "georgian", "armenian", "israeli", "palestinian", "egyptian",
    "moroccan", "algerian", "tunisian", "nigerian", "kenyan", "ghanaian", "ethiopian", "indian", "pakistani",
    "bangladeshi", "nepalese", "chinese", "taiwanese", "japanese", "korean", "vietnamese", "thai", "filipino",
    "indonesian", "malaysian", "singaporean", "australian", "iranian", "iraqi", "syrian", "lebanese", "saudi",
    "afghan", "jewish", "muslim", "christian", "catholic", "buddhist", "hindu", "sikh",
];
