//! Numbers in words of German, French, Spanish and Portuguese, known by their exact spelling. Left out are words that
//! mean something else in English: "elf", "once", "dos", "doze", "quince", "mil" and "cento".

use crate::numbers::Figure;

/// Value and its words.
const VALUES: [(f64, &[&str]); 30] = [
    (2.0, &["zwei", "deux", "dois", "duas"]),
    (3.0, &["drei", "trois", "tres", "três"]),
    (4.0, &["vier", "quatre", "cuatro", "quatro"]),
    (5.0, &["fünf", "cinq", "cinco"]),
    (6.0, &["sechs", "seis"]),
    (7.0, &["sieben", "siete", "sete"]),
    (8.0, &["acht", "huit", "ocho", "oito"]),
    (9.0, &["neun", "neuf", "nueve", "nove"]),
    (10.0, &["zehn", "dix", "diez", "dez"]),
    (11.0, &["onze"]),
    (12.0, &["zwölf", "douze", "doce"]),
    (13.0, &["dreizehn", "treize", "trece", "treze"]),
    (14.0, &["vierzehn", "quatorze", "catorce", "catorze"]),
    (15.0, &["fünfzehn", "quinze"]),
    (16.0, &["sechzehn", "dieciséis", "dezesseis", "dezasseis"]),
    (17.0, &["siebzehn", "diecisiete", "dezessete", "dezassete"]),
    (18.0, &["achtzehn", "dieciocho", "dezoito"]),
    (19.0, &["neunzehn", "diecinueve", "dezenove", "dezanove"]),
    (20.0, &["zwanzig", "vingt", "veinte", "vinte"]),
    (30.0, &["dreißig", "dreissig", "trente", "treinta", "trinta"]),
    (40.0, &["vierzig", "quarante", "cuarenta", "quarenta"]),
    (50.0, &["fünfzig", "cinquante", "cincuenta", "cinquenta"]),
    (60.0, &["sechzig", "soixante", "sesenta", "sessenta"]),
    (70.0, &["siebzig", "setenta"]),
    (80.0, &["achtzig", "ochenta", "oitenta"]),
    (90.0, &["neunzig", "noventa"]),
    (200.0, &["doscientos", "duzentos"]),
    (300.0, &["trescientos", "trezentos"]),
    (400.0, &["cuatrocientos", "quatrocentos"]),
    (500.0, &["quinientos", "quinhentos"]),
];

/// Powers of ten that multiply the number before them.
const SCALES: [(f64, &[&str]); 4] = [
    (1e2, &["hundert"]),
    (1e3, &["tausend"]),
    (1e6, &["millionen", "millones", "milhões"]),
    (1e9, &["milliarden", "milliards", "bilhões"]),
];

/// German numbers below ten, which compounds begin with.
const UNITS: [&str; 9] = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"];

/// German tens, which compounds end with.
const TENS: [&str; 8] =
    ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"];

/// All words with their numbers.
pub(crate) fn foreign() -> impl Iterator<Item = (String, Figure)> {
    let of = |(value, words): (f64, &'static [&'static str])| words.iter().map(move |word| (value, *word));
    let values = VALUES.into_iter().flat_map(of).map(|(value, word)| (word.to_owned(), Figure::Value(value)));
    let scales = SCALES.into_iter().flat_map(of).map(|(scale, word)| (word.to_owned(), Figure::Scale(scale)));
    values.chain(scales).chain(compounds())
}

/// German compounds: "dreiundzwanzig" and "dreihundert".
fn compounds() -> impl Iterator<Item = (String, Figure)> {
    let units = || (1_u32..).zip(UNITS);
    let tens = units().flat_map(|(unit, before)| {
        let tens = (2_u32..).zip(TENS);
        tens.map(move |(ten, after)| (format!("{before}und{after}"), f64::from(ten * 10 + unit)))
    });
    let hundreds = units().map(|(unit, before)| (format!("{before}hundert"), f64::from(unit * 100)));
    tens.chain(hundreds).map(|(word, value)| (word, Figure::Value(value)))
}
