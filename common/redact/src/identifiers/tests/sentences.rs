//! Sentences in which identifiers stand, and texts with numbers that are no identifiers.

/// Around a label and a value, in forms that any language uses.
const COMMON: [&str; 12] = [
    "{label}: {value}",
    "{value} ({label})",
    "| {label} | {value} |",
    "{\"{label}\": \"{value}\", \"active\": true}",
    "Kind regards,\nJ. Example\n{label} {value}\nwww.shop.example",
    "<tr><th>{label}</th><td>{value}</td></tr>",
    "{label}\t{value}",
    "{label} = {value}",
    "{label}\n{value}",
    "- {label}: {value}\n- Notes: none",
    "\"{label}\";\"{value}\"",
    "**{label}** {value}",
];

/// Sentences in a language; English ones are added to those of every language.
const NATIVE: [(&str, [&str; 2]); 31] = [
    (
        "en",
        [
            "Please replace the old entry with {label} {value} in the file.",
            "The {label} on my form reads {value}, which is wrong.",
        ],
    ),
    ("es", ["Le envío mi {label} {value} para el contrato.", "El {label} del cliente es {value}."]),
    ("pt", ["Segue o meu {label} {value} para o contrato.", "O {label} do cliente é {value}."]),
    ("fr", ["Voici mon {label} {value} pour le contrat.", "Le {label} du client est {value}."]),
    ("de", ["Anbei meine {label} {value} für den Vertrag.", "Die {label} des Kunden lautet {value}."]),
    ("it", ["Ecco il mio {label} {value} per il contratto.", "Il {label} del cliente è {value}."]),
    ("nl", ["Hierbij mijn {label} {value} voor het contract.", "De {label} van de klant is {value}."]),
    ("sv", ["Här är mitt {label} {value} till avtalet.", "Kundens {label} är {value}."]),
    ("da", ["Her er mit {label} {value} til aftalen.", "Kundens {label} er {value}."]),
    ("no", ["Her er mitt {label} {value} til avtalen.", "Kundens {label} er {value}."]),
    ("fi", ["Tässä on {label} {value} sopimusta varten.", "Asiakkaan {label} on {value}."]),
    ("is", ["Hér er {label} {value} fyrir samninginn.", "Viðskiptavinurinn hefur {label} {value}."]),
    ("et", ["Minu {label} on {value}.", "Lepingus on {label} {value} ja kuupäev."]),
    ("lt", ["Mano {label} yra {value}.", "Sutartyje nurodytas {label} {value}."]),
    ("lv", ["Mans {label} ir {value}.", "Līgumā ir {label} {value}."]),
    ("pl", ["Mój {label} to {value}.", "W umowie podano {label} {value} oraz datę."]),
    ("cs", ["Moje {label} je {value}.", "Ve smlouvě je {label} {value} a datum."]),
    ("hu", ["Az én {label} értékem: {value}.", "A szerződésben a {label} {value} szerepel."]),
    ("ro", ["Vă trimit {label} {value} pentru contract.", "Clientul are {label} {value}."]),
    ("bg", ["Моят {label} е {value}.", "В договора е посочен {label} {value}."]),
    ("sl", ["Moja {label} je {value}.", "V pogodbi je {label} {value}."]),
    ("hr", ["Moj {label} je {value}.", "U ugovoru je naveden {label} {value}."]),
    ("ru", ["Мой {label} {value}, прошу внести в договор.", "В договоре указан {label} {value}."]),
    ("uk", ["Мій {label} {value}, прошу внести до договору.", "У договорі вказано {label} {value}."]),
    (
        "tr",
        ["Sözleşme için {label} {value} bilgisidir.", "Müşterinin {label} bilgisi {value} olarak kayıtlı."],
    ),
    ("el", ["Ο {label} μου είναι {value}.", "Στη σύμβαση αναφέρεται {label} {value}."]),
    ("zh", ["我的{label}是{value}，请登记。", "客户的{label}为{value}。"]),
    ("ja", ["私の{label}は{value}です。", "契約書の{label}：{value}を確認してください。"]),
    ("ko", ["제 {label}는 {value}입니다.", "고객의 {label} {value} 확인 바랍니다."]),
    ("th", ["{label}ของฉันคือ {value} ครับ", "ลูกค้ามี{label} {value} ในสัญญา"]),
    ("vi", ["Số {label} của tôi là {value}.", "Khách hàng có {label} {value}."]),
];
/// As [`NATIVE`], for scripts and languages of the other countries of the tables.
const FURTHER: [(&str, [&str; 2]); 4] = [
    ("id", ["Berikut {label} saya {value} untuk kontrak.", "{label} pelanggan adalah {value}."]),
    ("ms", ["Ini {label} saya {value} untuk kontrak.", "{label} pelanggan ialah {value}."]),
    ("he", ["{label} שלי הוא {value}.", "בחוזה רשום {label} {value}."]),
    ("ar", ["{label} الخاص بي هو {value}.", "في العقد {label} {value}."]),
];

/// Sentences in which a value that is known by its form stands without a label.
pub(super) const BARE: [&str; 4] = [
    "We received {value} today.",
    "{value}",
    "| 7 | {value} | open |",
    "The scan shows {value} in the second line.",
];

/// Sentences without a word that names a number.
pub(super) const UNNAMED: [&str; 8] = [
    "We counted {value} of them in the end.",
    "{value}",
    "| 7 | {value} | 12 |",
    "{\"n\": \"{value}\"}",
    "The sensor showed {value} at noon.",
    "see line {value} of the export",
    "a;{value};b",
    "They wrote {value} on the wall.",
];

/// Sentences in which a label names a number of something else.
pub(super) const OF_OTHERS: [&str; 8] = [
    "Order number {value} was sent.",
    "ticket {value}",
    "Invoice no. {value} is paid.",
    "tracking number: {value}",
    "{\"transaction_id\": \"{value}\"}",
    "Seriennummer {value}",
    "numéro de commande {value}",
    "booking {value} is confirmed",
];

/// Texts with numbers that belong to nobody; `#` is a random digit.
pub(super) const NUMBERS: [&str; 8] = [
    "version ##.#.####.##",
    "2026-03-1#T1#:22:31.###Z finished in #### ms",
    "epoch 17########",
    "build 10.0.1####.####",
    "request 1b4e28ba-2fa1-11d2-883f-0016d3cca###",
    "commit 9f8e7d6c5b4a#############",
    "At ##:## we had ### visitors and 1#,### views.",
    "order ####-#### of 2024-06-1#, 12 x SKU-######",
];

/// The sentences with labels for a language.
pub(super) fn named(language: &str) -> Vec<&'static str> {
    let all = || NATIVE.iter().chain(&FURTHER);
    let of =
        |wanted: &str| all().find(|(known, _)| *known == wanted).map(|(_, sentences)| sentences).unwrap();
    let mut sentences: Vec<&str> = of(language).to_vec();
    sentences.extend(COMMON);
    sentences.extend(of("en"));
    sentences.extend(["Could you confirm that {value} is my {label}?", "my {label} is {value}, thanks"]);
    sentences.extend(of(language));
    sentences
}
