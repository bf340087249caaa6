//! Words of addresses in many languages, in lower case.

/// Stand behind a name, with the number before both: English.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const BEHIND: &[&str] = &[
    "street", "st", "road", "rd", "avenue", "ave", "lane", "ln", "drive", "dr", "boulevard", "blvd", "court",
    "ct", "place", "pl", "square", "sq", "terrace", "ter", "way", "crescent", "cres", "close", "highway",
    "hwy", "parkway", "pkwy", "circle", "cir", "trail", "trl", "grove", "gardens", "gdns", "row", "mews",
    "hill", "plaza", "loop", "alley", "walk", "quay", "esplanade", "parade", "broadway", "freeway",
    "expressway", "turnpike", "pike", "path", "run", "ridge", "bend", "point", "cove", "heights", "view",
    "villas", "rise", "green", "park", "crossing", "junction", "landing", "meadows", "estate",
];

/// Of these, those that name a street also where nothing is written with a capital.
pub(crate) const PLAIN: &[&str] =
    &["street", "road", "avenue", "lane", "drive", "boulevard", "terrace", "crescent", "ave", "blvd", "rd"];

/// Stand before the name, with the number before both (French) or behind both (all others).
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const BEFORE: &[&str] = &[
    // French
    "rue",
    "avenue",
    "av",
    "boulevard",
    "bd",
    "bld",
    "place",
    "chemin",
    "allée",
    "allee",
    "impasse",
    "quai",
    "cours",
    "route",
    "passage",
    "square",
    "ruelle",
    "faubourg",
    "sentier",
    "villa",
    "cité",
    // Spanish and Catalan
    "calle",
    "c/",
    "avenida",
    "avda",
    "plaza",
    "paseo",
    "camino",
    "carrera",
    "cra",
    "calzada",
    "carretera",
    "ronda",
    "travesía",
    "carrer",
    "avinguda",
    "passeig",
    "plaça",
    "callejón",
    "jirón",
    // Italian
    "via",
    "viale",
    "piazza",
    "piazzale",
    "corso",
    "largo",
    "vicolo",
    "strada",
    "lungomare",
    "contrada",
    // Portuguese
    "rua",
    "travessa",
    "praça",
    "alameda",
    "rodovia",
    "estrada",
    "beco",
    "ladeira",
    // Polish
    "ul",
    "ulica",
    "ulicy",
    "al",
    "aleja",
    "aleje",
    "alei",
    "os",
    "osiedle",
    "plac",
    "pl",
    // Russian and Ukrainian
    "ул",
    "улица",
    "улице",
    "пр",
    "проспект",
    "проспекте",
    "пр-т",
    "переулок",
    "пер",
    "бульвар",
    "шоссе",
    "площадь",
    "набережная",
    "вул",
    "вулиця",
    "проспект",
    "провулок",
    // Romanian, South Slavic
    "str",
    "bulevardul",
    "bdul",
    "calea",
    "aleea",
    "șoseaua",
    "ulica",
    "trg",
    "улица",
    "бул",
    // Greek, Vietnamese, Indonesian, Malay, Arabic, Hebrew
    "οδός",
    "λεωφόρος",
    "đường",
    "phố",
    "jl",
    "jalan",
    "jln",
    "lorong",
    "gang",
    "شارع",
    "רחוב",
    "רח",
    "שדרות",
];

/// End a name that is one word with them, with the number behind: German, Dutch, Nordic.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const ENDINGS: &[&str] = &[
    "straße", "strasse", "str", "gasse", "platz", "allee", "damm", "ufer", "chaussee", "steig", "stieg",
    "promenade", "weg", "straat", "laan", "plein", "gracht", "kade", "dijk", "singel", "steeg", "dreef",
    "gatan", "gata", "vägen", "väg", "gränd", "torget", "gränden", "vej", "gade", "allé", "stræde", "veien",
    "veg", "vegen", "gaten", "katu", "kuja", "polku", "puistotie",
];

/// The same, but other words end so, too: a code must follow.
pub(crate) const WEAK_ENDINGS: &[&str] =
    &["ring", "tie", "hof", "berg", "markt", "tor", "graben", "wall", "plan", "backe", "stien"];

/// Words of their own behind the name, with the number behind both: German, Turkish, Hungarian.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const AFTER: &[&str] = &[
    "straße", "strasse", "weg", "platz", "allee", "gasse", "caddesi", "cad", "cd", "sokak", "sokağı", "sok",
    "sk", "bulvarı", "blv", "mahallesi", "mah", "utca", "u", "út", "útja", "tér", "tere", "körút", "krt",
    "köz", "sétány", "fasor", "rakpart", "väg", "gata", "vei", "vej", "gade", "plads",
];

/// Join the parts of a name.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const PARTICLES: &[&str] = &[
    "de", "la", "le", "les", "l", "d", "du", "des", "del", "della", "delle", "dei", "degli", "dell", "di",
    "da", "do", "dos", "das", "el", "los", "las", "van", "der", "den", "von", "zum", "zur", "am", "an", "im",
    "of", "the", "y", "e", "et", "i", "san", "saint", "st", "sur", "sous", "in", "auf", "bei", "op", "aan",
    "ter", "ten", "och", "und", "and",
];

/// Not part of the name of a street in text without capitals.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const STOP: &[&str] = &[
    "the", "a", "an", "down", "up", "on", "in", "of", "to", "at", "by", "and", "or", "for", "from", "miles",
    "mile", "km", "minutes", "meters", "metres", "feet", "blocks", "block", "times", "more", "other", "new",
    "is", "was", "are", "per", "with", "off", "along", "this", "that", "each", "every", "years", "days",
    "hour", "hours", "day", "night", "week", "weeks", "month", "months", "year", "minute", "second",
    "seconds", "inch", "step", "steps", "people", "cars", "lane", "way", "long",
];

/// Name a part of a building.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const UNITS: &[&str] = &[
    "apt", "apartment", "suite", "ste", "unit", "flat", "floor", "fl", "room", "rm", "building", "bldg",
    "lot", "trailer", "tower", "block", "wing", "level", "penthouse", "studio", "dept", "department",
    "wohnung", "whg", "etage", "stock", "top", "stiege", "app", "appt", "appartement", "bât", "bâtiment",
    "étage", "escalier", "piso", "esc", "escalera", "puerta", "pta", "depto", "departamento", "interior",
    "int", "interno", "scala", "piano", "bloco", "apto", "andar", "sala", "fração", "bus", "lok", "m",
    "mieszkanie", "кв", "квартира", "корп", "корпус", "стр", "оф", "офис", "подъезд", "под", "д", "дом",
    "daire", "kat", "no", "d", "k", "em", "ajtó", "ap", "bl", "sc", "et", "phòng", "tầng", "rt", "rw", "lgh",
];

/// Countries, as the last part of an address.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const COUNTRIES: &[&str] = &[
    "usa", "us", "u.s.a", "united states", "united states of america", "canada", "mexico", "méxico", "brazil",
    "brasil", "argentina", "chile", "colombia", "peru", "uk", "united kingdom", "england", "scotland",
    "wales", "northern ireland", "ireland", "france", "germany", "deutschland", "austria", "österreich",
    "switzerland", "schweiz", "suisse", "belgium", "belgique", "belgië", "netherlands", "the netherlands",
    "nederland", "luxembourg", "spain", "españa", "portugal", "italy", "italia", "greece", "malta", "cyprus",
    "sweden", "sverige", "norway", "norge", "denmark", "danmark", "finland", "suomi", "iceland", "estonia",
    "latvia", "lithuania", "poland", "polska", "czech republic", "czechia", "slovakia", "hungary",
    "magyarország", "romania", "românia", "bulgaria", "croatia", "hrvatska", "slovenia", "serbia", "ukraine",
    "russia", "россия", "turkey", "türkiye", "israel", "south africa", "nigeria", "kenya", "ghana", "egypt",
    "morocco", "india", "pakistan", "bangladesh", "sri lanka", "china", "hong kong", "taiwan", "japan",
    "south korea", "korea", "singapore", "thailand", "vietnam", "việt nam", "philippines", "indonesia",
    "malaysia", "australia", "new zealand", "uae", "united arab emirates", "saudi arabia",
];

/// Words before the number of a box, in lower case and without signs.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const BOXES: &[&[&str]] = &[
    &["p", "o", "box"],
    &["po", "box"],
    &["post", "office", "box"],
    &["gpo", "box"],
    &["locked", "bag"],
    &["private", "bag"],
    &["postfach"],
    &["boîte", "postale"],
    &["bp"],
    &["b", "p"],
    &["apartado"],
    &["apartado", "postal"],
    &["apartado", "de", "correos"],
    &["casilla"],
    &["casilla", "de", "correo"],
    &["casella", "postale"],
    &["caixa", "postal"],
    &["postbus"],
    &["skrytka", "pocztowa"],
    &["а", "я"],
    &["абонентский", "ящик"],
    &["posta", "kutusu"],
    &["pk"],
    &["boks"],
    &["postboks"],
    &["postlåda"],
];
