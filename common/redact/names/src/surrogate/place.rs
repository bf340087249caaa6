//! Fictional addresses in the form of the same country, cities and organizations.

use super::choice::Choice;

const CITIES: &[&str] = &[
    "Altenmoor",
    "Ashbrook",
    "Belcourt",
    "Brindale",
    "Cresthaven",
    "Dunwick",
    "Eastmere",
    "Fallowfield",
    "Glenhaven",
    "Harrowdale",
    "Kingsmoor",
    "Larkspur",
    "Millbrook",
    "Norvale",
    "Oakmere",
    "Pinehurst",
    "Ravenscroft",
    "Silverlake",
    "Thornfield",
    "Westmarch",
];
const ORGANIZATIONS: &[&str] = &[
    "Bluefern Holdings",
    "Cedarline Group",
    "Copperleaf Partners",
    "Driftwood Systems",
    "Evenfall Labs",
    "Fernhill Media",
    "Greywater Industries",
    "Hollowbrook Ltd",
    "Lanternworks",
    "Moonstone Foods",
    "Nightjar Software",
    "Quarrystone",
    "Saltmarsh Trust",
    "Tallgrass Energy",
    "Willowgate Bank",
];
const STREETS: &[&str] = &[
    "Alder", "Bramble", "Clover", "Dogwood", "Elder", "Foxglove", "Hawthorn", "Juniper", "Linden",
    "Magnolia", "Nettle", "Poplar", "Rowan", "Sorrel", "Thistle", "Willow",
];

/// How a country writes a street, and a code that it never gave.
struct Form {
    /// Signs of the form, in lower case.
    signs: &'static [&'static str],
    /// `{s}` is the street, `{n}` the number.
    street: &'static str,
    /// `{c}` is the city, `{z}` the code.
    city: &'static str,
    code: &'static str,
}

/// The first whose sign stands in the address.
const FORMS: &[Form] = &[
    Form {
        signs: &["straße", "strasse", "str.", "platz", "gasse", "allee", "weg "],
        street: "{s}weg {n}",
        city: "{z} {c}",
        code: "00000",
    },
    Form {
        signs: &["rue ", "chemin ", "impasse ", "boulevard de", "quai "],
        street: "{n} rue du {s}",
        city: "{z} {c}",
        code: "00000",
    },
    Form {
        signs: &["calle ", "avenida ", "avda", "paseo ", "plaza "],
        street: "Calle {s} {n}",
        city: "{z} {c}",
        code: "00000",
    },
    Form {
        signs: &["rua ", "travessa ", "praça ", "alameda "],
        street: "Rua {s}, {n}",
        city: "{c}, {z}",
        code: "00000-000",
    },
    Form {
        signs: &["via ", "viale ", "piazza ", "corso "],
        street: "Via {s} {n}",
        city: "{z} {c}",
        code: "99999",
    },
    Form {
        signs: &["straat", "laan", "gracht", "plein", "kade"],
        street: "{s}straat {n}",
        city: "{z} {c}",
        code: "0000 AA",
    },
    Form {
        signs: &["ul. ", "ulica ", "al. ", "os. "],
        street: "ul. {s} {n}",
        city: "{z} {c}",
        code: "99-999",
    },
    Form { signs: &["gatan", "vägen", "gata"], street: "{s}gatan {n}", city: "{z} {c}", code: "000 00" },
    Form { signs: &["vej", "gade", "veien"], street: "{s}vej {n}", city: "{z} {c}", code: "0000" },
    Form {
        signs: &["ул.", "улица", "проспект", "пр."],
        street: "ул. Рябиновая, {n}",
        city: "г. Загорск-Дальний, {z}",
        code: "000000",
    },
    Form {
        signs: &["caddesi", "sokak", "mahallesi", "bulvarı"],
        street: "{s} Sokak No: {n}",
        city: "{z} {c}",
        code: "00000",
    },
    Form { signs: &["utca", "út ", "tér "], street: "{s} utca {n}", city: "{z} {c}", code: "0000" },
    Form {
        signs: &["box", "postfach", "apartado", "casella", "caixa postal", "postbus"],
        street: "P.O. Box {n}",
        city: "{c} {z}",
        code: "00000",
    },
];

/// Anglo-Saxon countries: the number stands first.
const ENGLISH: Form = Form { signs: &[], street: "{n} {s} Street", city: "{c} {z}", code: "00000" };

/// A street that does not exist, with city and code where the original has them.
pub(super) fn address(original: &str, choice: &mut Choice) -> String {
    if original.chars().any(|letter| ('\u{3040}'..='\u{D7AF}').contains(&letter)) {
        return eastern(original).to_owned();
    }
    let lower = original.to_lowercase();
    let form =
        FORMS.iter().find(|form| form.signs.iter().any(|sign| lower.contains(sign))).unwrap_or(&ENGLISH);
    let number = 1 + choice.number("house", original) % 98;
    let street = choice.pick("street", original, STREETS);
    let first = form.street.replace("{s}", &street).replace("{n}", &number.to_string());
    let parts = original.split([',', '\n']).filter(|part| !part.trim().is_empty()).count();
    let digits = original
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| run.len() >= 4 || british(original))
        .count();
    if parts < 2 && digits == 0 {
        return first;
    }
    let city = choice.pick("city", original, CITIES);
    let code = if british(original) { "ZZ99 3VZ" } else { form.code };
    let second =
        if digits > 0 || british(original) { form.city.replace("{z}", code) } else { "{c}".to_owned() };
    let between = if original.contains('\n') { "\n" } else { ", " };
    format!("{first}{between}{}", second.replace("{c}", &city))
}

/// Whether a British code stands in it: a word of a digit and two letters behind one of letters and digits.
fn british(original: &str) -> bool {
    let words: Vec<&str> = original.split_whitespace().map(|word| word.trim_matches([',', '.'])).collect();
    words.windows(2).any(|pair| {
        let [one, two] = pair else { return false };
        let inward = two.len() == 3
            && two.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
            && two.bytes().skip(1).all(|byte| byte.is_ascii_uppercase());
        inward
            && (2..=4).contains(&one.len())
            && one.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase())
    })
}

fn eastern(original: &str) -> &'static str {
    if original.chars().any(|letter| ('\u{AC00}'..='\u{D7AF}').contains(&letter)) {
        "새벽시 하늘구 가온로 7"
    } else if original.contains(['都', '府', '県', '丁']) {
        "若葉県桜野市緑町1-2-3"
    } else {
        "青云市明月区清风路7号"
    }
}

/// A postal code that was never given, in the form of the original.
pub(super) fn code(original: &str) -> Option<String> {
    if british(original) {
        return Some("ZZ99 3VZ".to_owned());
    }
    let zeros = original.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter });
    let code: String = zeros.collect();
    (code != original && original.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')).then_some(code)
}

pub(super) fn city(original: &str, choice: &mut Choice) -> String {
    choice.pick("city", original, CITIES)
}

pub(super) fn organization(original: &str, choice: &mut Choice) -> String {
    choice.pick("organization", original, ORGANIZATIONS)
}
