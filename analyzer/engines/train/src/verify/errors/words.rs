//! Words that errors put in place of others.

/// Months, which stand for each other.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Days of the week, which stand for each other.
pub(super) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Units that differ in size only, in the singular and the plural.
pub(super) const UNITS: [&[&str]; 11] = [
    &["second", "minute", "hour", "day", "week", "month", "year", "decade", "century"],
    &["seconds", "minutes", "hours", "days", "weeks", "months", "years", "decades", "centuries"],
    &["metres", "meters", "kilometres", "kilometers", "miles", "feet", "inches", "yards"],
    &["metre", "meter", "kilometre", "kilometer", "mile", "foot", "inch"],
    &["grams", "kilograms", "tonnes", "tons", "pounds", "ounces"],
    &["dollars", "euros", "pounds", "yen", "francs"],
    &["million", "billion", "thousand", "trillion"],
    &["percent", "dollars"],
    &["north", "south", "east", "west"],
    &["northern", "southern", "eastern", "western"],
    &["first", "second", "third", "fourth", "last"],
];

/// Words of opposite meaning, both ways.
pub(super) const OPPOSITES: [(&str, &str); 44] = [
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("rose", "fell"),
    ("rise", "fall"),
    ("higher", "lower"),
    ("high", "low"),
    ("highest", "lowest"),
    ("more", "less"),
    ("most", "least"),
    ("many", "few"),
    ("before", "after"),
    ("first", "last"),
    ("early", "late"),
    ("large", "small"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("big", "small"),
    ("best", "worst"),
    ("better", "worse"),
    ("good", "bad"),
    ("old", "new"),
    ("older", "younger"),
    ("oldest", "youngest"),
    ("long", "short"),
    ("longer", "shorter"),
    ("longest", "shortest"),
    ("above", "below"),
    ("began", "ended"),
    ("begins", "ends"),
    ("started", "stopped"),
    ("opened", "closed"),
    ("open", "closed"),
    ("won", "lost"),
    ("win", "lose"),
    ("male", "female"),
    ("men", "women"),
    ("strong", "weak"),
    ("always", "never"),
    ("all", "none"),
    ("same", "different"),
    ("easy", "difficult"),
    ("common", "rare"),
    ("accepted", "rejected"),
];

/// Verbs after which a negation may stand.
pub(super) const VERBS: [&str; 14] = [
    "is", "are", "was", "were", "will", "would", "can", "could", "should", "must", "may", "might", "has",
    "have",
];
