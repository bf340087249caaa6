//! Words of salutations, introductions and signatures in many languages.

/// Before a name, in lower case and without the full stop.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const HONORIFICS: &[&str] = &[
    "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "lady", "lord", "rev", "fr",
    "sgt", "capt", "lt", "col", "maj", "gen", "judge", "sen", "rep", "nurse", "herr", "herrn", "frau",
    "monsieur", "madame", "mademoiselle", "mme", "mlle", "señor", "señora", "señorita", "sr", "sra", "srta",
    "don", "doña", "dra", "signor", "signora", "signore", "sig", "dott", "dottssa", "avv", "ing", "senhor",
    "senhora", "dona", "meneer", "mevrouw", "dhr", "mevr", "mw", "pan", "pani", "pana", "panu", "bay",
    "bayan", "sayın", "господин", "госпожа", "г-н", "г-жа", "доктор", "пан", "пані", "hr", "fru", "rouva",
    "herra", "úr", "asszony", "domnul", "doamna", "gospodin", "gospođa", "κύριος", "κυρία", "κ",
];
/// Before a name where the speaker gives it, in lower case, words separated by blanks.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const INTRODUCTIONS: &[&str] = &[
    "my name is", "my full name is", "name is", "i am called", "this is", "i am", "i 'm", "speaking with",
    "ich heiße", "ich heisse", "mein name ist", "je m'appelle", "je m’appelle", "mon nom est", "je suis",
    "me llamo", "mi nombre es", "soy", "mi chiamo", "il mio nome è", "sono", "meu nome é", "me chamo",
    "eu sou", "ik heet", "mijn naam is", "ik ben", "nazywam się", "mam na imię", "adım", "benim adım",
    "ismim", "меня зовут", "мене звати", "jag heter", "mitt namn är", "jeg heter", "jeg hedder",
    "mit navn er", "nimeni on", "jmenuji se", "a nevem", "numele meu este", "mă numesc", "zovem se",
    "με λένε", "ονομάζομαι", "tên tôi là", "tôi tên là", "nama saya", "jina langu ni",
];
/// Of these, those that other things follow as well: a name must be written with a capital and stand in no sentence.
pub(crate) const WEAK: &[&str] =
    &["this is", "i am", "i 'm", "je suis", "soy", "sono", "eu sou", "ik ben", "name is"];
/// Before a name at the begin of a letter, in lower case.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const SALUTATIONS: &[&str] = &[
    "dear", "hi", "hello", "hey", "liebe", "lieber", "hallo", "cher", "chère", "bonjour", "querido",
    "querida", "estimado", "estimada", "hola", "caro", "cara", "gentile", "ciao", "prezado", "prezada", "olá",
    "beste", "geachte", "drogi", "droga", "cześć", "sevgili", "merhaba", "дорогой", "дорогая", "уважаемый",
    "уважаемая", "hej", "kära", "hei", "kjære", "kære", "kedves", "dragă", "milý", "milá", "dragi", "draga",
];
/// Close a letter, in lower case; the name follows on the next line.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const CLOSINGS: &[&str] = &[
    "regards", "sincerely", "cheers", "thanks", "thank you", "best", "yours", "truly", "faithfully", "wishes",
    "love", "respectfully", "grüßen", "gruß", "grüße", "grüssen", "cordialement", "salutations",
    "amicalement", "saludos", "atentamente", "cordialmente", "abrazo", "saluti", "cumprimentos",
    "atenciosamente", "abraços", "groet", "groeten", "pozdrawiam", "pozdrowienia", "saygılarımla", "selamlar",
    "уважением", "hälsningar", "hilsen", "terveisin", "üdvözlettel", "pozdravem", "pozdrav", "mvh", "mfg",
    "bien à vous",
];
/// Name the value behind a colon, in lower case.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const LABELS: &[&str] = &[
    "name", "full name", "first name", "last name", "surname", "given name", "patient", "patient name",
    "customer", "customer name", "client", "employee", "contact", "contact person", "applicant", "cardholder",
    "account holder", "attn", "attention", "recipient", "sender", "vorname", "nachname", "ansprechpartner",
    "kunde", "nom", "prénom", "nombre", "apellido", "apellidos", "nome", "cognome", "sobrenome", "naam",
    "voornaam", "achternaam", "imię", "nazwisko", "imię i nazwisko", "ad", "soyad", "ad soyad", "имя",
    "фамилия", "фио", "пациент", "姓名", "氏名", "名前", "이름", "성명", "患者", "客户", "联系人",
];
/// Introduce a name in Chinese, Japanese.
pub(crate) const UNSPACED: &[&str] = &["我叫", "我是", "名叫", "姓名是", "姓名为", "私は", "名前は"];
