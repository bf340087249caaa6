//! Values for the templates: names of the lists, invented surnames and organizations.

use redact_names::lists::{Bits, CITY, FORENAME, SURNAME};

use super::sources::Sources;
use crate::seeded::Seeded;

/// Countries whose names are usual in texts of a language.
const COUNTRIES: &[(&str, &[&str])] = &[
    ("en", &["US", "GB", "CA", "AU", "NZ", "IE", "IN", "ZA"]),
    ("de", &["DE", "AT", "CH", "LI"]),
    ("fr", &["FR", "BE", "CH", "LU", "CA"]),
    ("es", &["ES", "MX", "AR", "CL", "CO", "PE"]),
    ("pt", &["PT", "BR"]),
    ("it", &["IT", "SM"]),
    ("nl", &["NL", "BE"]),
    ("pl", &["PL"]),
    ("cs", &["CZ", "SK"]),
    ("sv", &["SE", "FI"]),
    ("no", &["NO", "DK"]),
    ("fi", &["FI", "EE"]),
    ("hu", &["HU"]),
    ("ro", &["RO", "MD"]),
    ("tr", &["TR", "AZ"]),
    ("el", &["GR", "CY"]),
    ("ru", &["RU", "BY", "BG"]),
    ("uk", &["UA"]),
    ("id", &["ID", "MY"]),
    ("vi", &["VN"]),
];

/// Begins and ends of surnames by sound; two or three parts make one that sounds possible and is in no list.
const BEGINS: &[&str] = &[
    "Bar", "Ber", "Bor", "Bran", "Bro", "Car", "Cor", "Dal", "Der", "Dor", "Dru", "Fal", "Fen", "Gar", "Gol",
    "Gra", "Hal", "Har", "Hol", "Jan", "Kar", "Kel", "Kol", "Kra", "Lan", "Lem", "Lor", "Mal", "Mar", "Mer",
    "Mil", "Mor", "Nor", "Ols", "Pal", "Per", "Pol", "Ral", "Ros", "Sal", "Sch", "Sel", "Sor", "Stan", "Ste",
    "Tal", "Tor", "Tre", "Val", "Ver", "Vol", "Wal", "Wen", "Wil", "Zel", "Zor", "Ág", "Čer", "Éme", "Ødeg",
    "Øst", "Šim", "Żel", "Ör",
];
const MIDDLES: &[&str] = &[
    "a", "e", "i", "o", "u", "an", "en", "in", "ol", "er", "ar", "ing", "ov", "ek", "al", "em", "ö", "é", "á",
];
const ENDS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "son", "ton", "ley", "ford", "field", "well", "man", "worth", "by", "ham", "er", "s", "land",
            "shaw", "wick",
        ],
    ),
    (
        "de",
        &[
            "mann", "berg", "stein", "hauser", "feld", "bach", "meier", "ner", "hoff", "schmidt", "ke",
            "ling", "er",
        ],
    ),
    ("fr", &["eau", "ier", "ard", "et", "in", "ont", "elle", "oux", "ière", "ois", "ault"]),
    ("es", &["ez", "era", "ado", "illo", "ares", "oso", "ero", "anza", "ano", "ón"]),
    ("pt", &["eira", "ães", "ado", "inho", "osa", "eiro", "ão"]),
    ("it", &["ini", "elli", "etti", "ucci", "one", "aldi", "ese", "ano", "acci", "oni"]),
    ("nl", &["stra", "sma", "man", "inga", "horst", "dijk", "veld", "huis", "kamp"]),
    ("pl", &["ski", "ska", "czyk", "icz", "owski", "ewska", "iak", "cka"]),
    ("cs", &["ek", "ová", "ák", "ský", "ka", "ček"]),
    ("sv", &["sson", "qvist", "lund", "gren", "ström", "berg"]),
    ("no", &["sen", "vik", "stad", "nes", "gaard", "rud"]),
    ("fi", &["nen", "la", "lä", "inen", "sto"]),
    ("hu", &["i", "os", "y", "ér", "ó", "ász"]),
    ("ro", &["escu", "eanu", "aru", "iu", "oiu"]),
    ("tr", &["oğlu", "lı", "kan", "taş", "er", "demir"]),
    ("el", &["opoulos", "idis", "akis", "ou", "aki"]),
    ("ru", &["ov", "ova", "in", "ina", "ev", "sky"]),
    ("uk", &["enko", "chuk", "yk", "iv"]),
    ("id", &["wan", "yono", "sari", "anto"]),
    ("vi", &["h", "ng", "n"]),
];
/// Cyrillic and Greek surnames have parts of their own.
const CYRILLIC: (&[&str], &[&str]) = (
    &[
        "Бар", "Вол", "Гор", "Дем", "Ерм", "Жар", "Зим", "Кар", "Кол", "Лап", "Мел", "Нов", "Ост", "Пет",
        "Род", "Сав", "Тар", "Фед", "Чер", "Шум",
    ],
    &["ов", "ова", "ин", "ина", "енко", "ский", "ская", "ук", "ев", "ева"],
);
const GREEK: (&[&str], &[&str]) = (
    &["Αλεξ", "Βασ", "Γεωρ", "Δημ", "Καρ", "Μαρ", "Νικ", "Παπ", "Σταυρ", "Τσ"],
    &["όπουλος", "ίδης", "άκης", "ίδου", "άκη", "ιάδης"],
);

const ORGANIZATION_WORDS: &[&str] = &[
    "Blue", "North", "Quantum", "Silver", "River", "Apex", "Nova", "Summit", "Bright", "Green", "Pacific",
    "Atlas", "Vertex", "Harbor", "Iron", "Cedar", "Lumen", "Orbit", "Delta", "Prime", "Union", "First",
    "Global", "Metro", "Clear", "Open", "Red", "Solar", "Swift", "Urban", "Vista", "Zen", "Data", "Cloud",
    "Health", "Energy", "Media", "Trust", "Capital", "Food", "Farm", "Rail", "Air", "Sea",
];
const ORGANIZATION_ENDS: &[&str] = &[
    "Inc",
    "Inc.",
    "LLC",
    "Ltd",
    "Ltd.",
    "GmbH",
    "AG",
    "Corp.",
    "Corporation",
    "Group",
    "Holdings",
    "Company",
    "Co.",
    "S.A.",
    "SpA",
    "BV",
    "AB",
    "Oy",
    "Bank",
    "Partners",
    "Technologies",
    "Systems",
    "Solutions",
    "Industries",
    "Labs",
    "Software",
    "Insurance",
    "Foundation",
    "Institute",
    "Media",
    "Logistics",
    "Airlines",
    "Consulting",
    "Ventures",
];
const TITLES: &[&str] = &[
    "project manager",
    "Senior Engineer",
    "nurse",
    "head of sales",
    "Marketing Director",
    "accountant",
    "software developer",
    "Chief Financial Officer",
    "teacher",
    "lawyer",
    "spokesman",
    "spokeswoman",
    "analyst",
    "Vice President",
    "consultant",
    "mechanic",
    "electrician",
    "professor",
    "journalist",
    "editor",
];

/// The lists with the generators that fill templates.
pub(super) struct Lexicon {
    forenames: Vec<(String, String)>,
    surnames: Vec<(String, String)>,
    cities: Vec<String>,
    countries: Vec<String>,
}

impl Lexicon {
    pub(super) fn new(sources: &Sources) -> Self {
        Self {
            forenames: sources.forenames.clone(),
            surnames: sources.surnames.clone(),
            cities: sources.cities.clone(),
            countries: sources.countries.clone(),
        }
    }

    /// All words of the lists in lower case, with the list.
    pub(super) fn words(&self) -> impl Iterator<Item = (String, Bits)> {
        let lower = |(_, name): &(String, String)| name.to_lowercase();
        let forenames = self.forenames.iter().map(lower).map(|name| (name, FORENAME));
        let surnames = self.surnames.iter().map(lower).map(|name| (name, SURNAME));
        let cities = self.cities.iter().chain(&self.countries).map(|name| (name.to_lowercase(), CITY));
        forenames.chain(surnames).chain(cities).flat_map(|(name, list)| {
            name.split([' ', '-'])
                .filter(|word| word.chars().count() > 2)
                .map(|word| (word.to_owned(), list))
                .collect::<Vec<_>>()
        })
    }

    /// A forename; most of them are usual in the language.
    pub(super) fn forename(&self, language: &str, random: &mut Seeded) -> String {
        self.from(&self.forenames, language, random)
    }

    /// A surname of the lists, or an invented one.
    pub(super) fn surname(&self, language: &str, random: &mut Seeded) -> String {
        if random.chance(0.45) {
            return self.from(&self.surnames, language, random);
        }
        let surname = invented(language, random);
        match random.below(20) {
            0 => format!("{surname}-{}", invented(language, random)),
            1 => format!(
                "{} {surname}",
                random
                    .pick(&["van der", "de", "von", "van", "da", "di", "del", "de la", "ten"])
                    .unwrap_or(&"de")
            ),
            2 => format!("O'{surname}"),
            3 => format!("Mc{surname}"),
            _ => surname,
        }
    }

    fn from(&self, names: &[(String, String)], language: &str, random: &mut Seeded) -> String {
        let countries = COUNTRIES
            .iter()
            .find(|(known, _)| *known == language)
            .map_or(&[][..], |(_, countries)| countries);
        let anywhere = random.chance(0.35);
        for _ in 0..200 {
            let Some((country, name)) = random.pick(names) else { break };
            let fits = (anywhere || countries.contains(&country.as_str())) && is_written_in(language, name);
            if fits && name.chars().count() > 1 {
                return name.clone();
            }
        }
        invented(language, random)
    }

    /// A city of the list.
    pub(super) fn city(&self, language: &str, random: &mut Seeded) -> String {
        if matches!(language, "ru" | "uk") {
            return random
                .pick(&[
                    "Москва",
                    "Казань",
                    "Самара",
                    "Томск",
                    "Омск",
                    "Львов",
                    "Киев",
                    "Одесса",
                    "Минск",
                    "Тверь",
                    "Тула",
                ])
                .unwrap_or(&"Москва")
                .to_string();
        }
        if language == "el" {
            return random
                .pick(&["Αθήνα", "Πάτρα", "Βόλος", "Λάρισα", "Χανιά", "Λευκωσία"])
                .unwrap_or(&"Αθήνα")
                .to_string();
        }
        let list = if random.chance(0.2) { &self.countries } else { &self.cities };
        random.pick(list).cloned().unwrap_or_default()
    }

    /// An organization that does not exist.
    pub(super) fn organization(&self, language: &str, random: &mut Seeded) -> String {
        let word = |random: &mut Seeded| *random.pick(ORGANIZATION_WORDS).unwrap_or(&"Blue");
        let end = *random.pick(ORGANIZATION_ENDS).unwrap_or(&"Inc");
        match random.below(12) {
            0 => format!("{} {end}", invented(language, random)),
            1 => format!("{} & {}", invented(language, random), invented(language, random)),
            2 => format!("{}{} {end}", word(random), word(random).to_lowercase()),
            3 => format!("{} {} {end}", word(random), word(random)),
            4 => format!("University of {}", self.city("en", random)),
            5 => {
                format!("{}{}", word(random), ["soft", "tech", "ly", "ify", "net", "works"][random.below(6)])
            }
            6 => format!("{} Hospital", self.city("en", random)),
            7 => format!("The {} {} {end}", word(random), word(random)),
            8 => format!("{} {} {}", invented(language, random), word(random), end),
            9 => invented(language, random),
            10 => format!("{}-{}", invented(language, random), invented(language, random)),
            _ => format!("{} {end}", word(random)),
        }
    }

    /// A job title.
    pub(super) fn title(random: &mut Seeded) -> String {
        random.pick(TITLES).map_or_else(String::new, |title| (*title).to_owned())
    }
}

/// Whether a name is written in the script of a language; the lists have names in other scripts as well.
fn is_written_in(language: &str, name: &str) -> bool {
    let first = name.chars().next().unwrap_or(' ');
    match language {
        "ru" | "uk" => ('\u{400}'..='\u{52F}').contains(&first),
        "el" => ('\u{370}'..='\u{3FF}').contains(&first),
        _ => {
            first.is_ascii()
                || ('\u{80}'..='\u{24F}').contains(&first)
                || ('\u{1E00}'..='\u{1EFF}').contains(&first)
        }
    }
}

fn invented(language: &str, random: &mut Seeded) -> String {
    let pick = |from: &'static [&'static str], random: &mut Seeded| *random.pick(from).unwrap_or(&"");
    let other = match language {
        "ru" | "uk" => Some(CYRILLIC),
        "el" => Some(GREEK),
        _ => None,
    };
    if let Some((begins, ends)) = other {
        return format!("{}{}", pick(begins, random), pick(ends, random));
    }
    let (_, ends) = if random.chance(0.3) {
        ENDS.get(random.below(ENDS.len()))
    } else {
        ENDS.iter().find(|(known, _)| *known == language)
    }
    .copied()
    .unwrap_or(("en", &["son"]));
    let middle = if random.chance(0.5) { pick(MIDDLES, random) } else { "" };
    format!("{}{middle}{}", pick(BEGINS, random), pick(ends, random))
}
