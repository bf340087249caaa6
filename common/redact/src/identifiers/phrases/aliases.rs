//! Names of kinds in many languages, in lower case and mostly singular.

use super::super::entity::Entity::{self, *};

/// Kinds and the phrases that ask for them.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const ALIASES: &[(&[Entity], &[&str])] = &[
    (&[Email], &[
        "email", "e-mail", "mail", "email address", "email addresses", "e-mail address",
        "e-mail addresses", "mail address", "mailadresse", "e-mail-adresse", "e-mail-adressen",
        "emailadresse", "adresse e-mail", "adresse mail", "adresses e-mail", "adresses mail", "courriel",
        "courriels", "correo", "correo electrónico", "correos electrónicos", "dirección de correo",
        "direcciones de correo", "indirizzo email", "indirizzi email", "indirizzo e-mail", "e-mails",
        "endereço de email", "endereços de email", "e-mailadres", "e-mailadressen", "adres e-mail",
        "adresy e-mail", "e-posta", "e-posta adresi", "e-posta adresleri", "эл. почта", "почта",
        "электронная почта", "адрес электронной почты", "адреса электронной почты", "邮箱", "电子邮件", "電子郵件",
        "メールアドレス", "이메일", "e-postadress",
    ]),
    (&[Phone], &[
        "phone", "phone number", "phone numbers", "telephone", "telephone number", "mobile",
        "mobile number", "cell", "cell number", "cell phone", "fax", "fax number", "contact number",
        "telefon", "telefonnummer", "telefonnummern", "handynummer", "handynummern", "rufnummer",
        "rufnummern", "numéro de téléphone", "numéros de téléphone", "téléphone", "téléphones",
        "teléfono", "teléfonos", "número de teléfono", "números de teléfono", "telefono", "telefoni",
        "numero di telefono", "numeri di telefono", "telefone", "telefones", "número de telefone",
        "números de telefone", "telefoonnummer", "telefoonnummers", "numer telefonu", "numery telefonów",
        "numery telefonu", "telefon numarası", "telefon numaraları", "телефон", "телефоны",
        "номер телефона", "номера телефонов", "电话", "电话号码", "手机号", "電話番号", "전화번호",
    ]),
    (&[IpAddress], &[
        "ip", "ip address", "ip addresses", "ipv4", "ipv6", "ip-adresse", "ip-adressen", "adresse ip",
        "adresses ip", "dirección ip", "direcciones ip", "indirizzo ip", "indirizzi ip", "endereço ip",
        "endereços ip", "ip-adres", "ip-adressen", "adres ip", "adresy ip", "ip adresi", "ip адрес",
        "ip-адрес", "ip-адреса", "ip地址", "ipアドレス",
    ]),
    (&[MacAddress], &["mac", "mac address", "mac addresses", "hardware address", "mac-adresse"]),
    (&[Url], &[
        "url", "urls", "link", "links", "web address", "website", "web link", "hyperlink", "webseite",
        "site web", "sitio web", "sito web", "uri",
    ]),
    (&[Ssn], &["ssn", "ssns", "social security number", "social security", "social security numbers"]),
    (&[NationalId, Ssn], &[
        "national id", "national ids", "national identity", "national identity number",
        "national identification number", "personal id", "personal identification number",
        "identity number", "id number", "citizen id", "national insurance number", "national insurance",
        "personal number", "sozialversicherungsnummer", "sozialversicherungsnummern",
        "numéro de sécurité sociale", "numéros de sécurité sociale", "número de la seguridad social",
        "dni", "nie", "nif", "codice fiscale personale", "bsn", "burgerservicenummer", "pesel",
        "personnummer", "aadhaar", "cpf number", "sin", "nino", "snils", "kimlik numarası", "身份证", "身份证号",
        "マイナンバー", "주민등록번호", "снилс", "rodné číslo", "cnp", "nric", "hkid",
    ]),
    (&[TaxId], &[
        "tax id", "tax ids", "tax number", "tax identification number", "taxpayer id", "taxpayer number",
        "tin", "itin", "ein", "vat", "vat number", "vat id", "steuernummer", "steuernummern", "steuer-id",
        "steuer-ids", "steueridentifikationsnummer", "numéro fiscal", "numéros fiscaux", "número fiscal",
        "números fiscales", "codice fiscale", "codici fiscali", "partita iva", "número de contribuinte",
        "cpf", "cnpj", "belastingnummer", "nip", "vergi numarası", "vergi no", "инн", "税号", "納税者番号",
        "tfn", "abn", "utr", "pan",
    ]),
    (&[Passport], &[
        "passport", "passports", "passport number", "passport numbers", "reisepass", "reisepässe",
        "reisepassnummer", "reisepassnummern", "passnummer", "passnummern", "passeport", "passeports",
        "numéro de passeport", "numéros de passeport", "pasaporte", "pasaportes", "número de pasaporte",
        "números de pasaporte", "passaporto", "passaporti", "numero di passaporto", "passaporte",
        "passaportes", "paspoort", "paspoorten", "paspoortnummer", "paspoortnummers", "paszport",
        "paszporty", "numer paszportu", "numery paszportów", "pasaport", "pasaport numarası", "паспорт",
        "паспорта", "номер паспорта", "护照", "护照号码", "パスポート", "여권", "여권번호",
    ]),
    (&[DriverLicense], &[
        "driver license", "driver licenses", "driver's license", "drivers license", "driver licence",
        "driving licence", "driving license", "drivers licence", "license number",
        "driver license number", "driving licence number", "us driver license", "führerschein",
        "führerscheine", "führerscheinnummer", "führerscheinnummern", "permis de conduire",
        "licencia de conducir", "licencias de conducir", "carnet de conducir", "patente di guida",
        "patente", "patenti", "carta de condução", "cnh", "rijbewijs", "rijbewijzen", "rijbewijsnummer",
        "prawo jazdy", "prawa jazdy", "ehliyet", "водительские права", "водительское удостоверение", "驾照",
        "運転免許証", "운전면허",
    ]),
    (&[IdCard], &[
        "id card", "id cards", "identity card", "identity cards", "identity document", "personalausweis",
        "personalausweise", "ausweisnummer", "ausweisnummern", "carte d'identité", "cartes d'identité",
        "tarjeta de identidad", "carta d'identità", "carta di identità", "cartão de cidadão",
        "identiteitskaart", "dowód osobisty", "dowody osobiste", "kimlik kartı",
    ]),
    (&[MedicalRecordNumber], &[
        "mrn", "medical record", "medical record number", "medical record numbers", "patient id",
        "patient number", "patient identifier", "patientennummer", "patientennummern",
        "numéro de dossier médical", "número de historia clínica", "numero di cartella clinica",
    ]),
    (&[HealthInsurance], &[
        "health insurance", "health insurance number", "health insurance id", "insurance number",
        "insurance id", "medicare", "medicare number", "nhs number", "nhs", "mbi", "npi", "dea number",
        "health card", "member id", "health plan beneficiary number", "krankenversichertennummer",
        "krankenversicherungsnummer", "versichertennummer", "numéro de mutuelle", "tarjeta sanitaria",
        "tessera sanitaria", "uk nhs",
    ]),
    (&[CreditCard], &[
        "credit card", "credit cards", "credit card number", "credit card numbers", "debit card",
        "card number", "payment card", "cc number", "pan number", "kreditkarte", "kreditkarten",
        "kreditkartennummer", "kreditkartennummern", "carte de crédit", "cartes de crédit",
        "carte bancaire", "cartes bancaires", "tarjeta de crédito", "tarjetas de crédito",
        "carta di credito", "carte di credito", "cartão de crédito", "cartões de crédito", "creditcard",
        "creditcards", "creditcardnummer", "karta kredytowa", "karty kredytowe", "kredi kartı",
        "kredi kartları", "кредитная карта", "кредитные карты", "номер карты", "信用卡", "クレジットカード", "신용카드",
    ]),
    (&[Iban], &["iban", "ibans", "iban code", "international bank account number"]),
    (&[BankAccount, Iban], &[
        "bank account", "bank account number", "bank account numbers", "account number", "bank accounts",
        "us bank number", "bank number", "bank detail", "bankverbindung", "bankkonto", "kontonummer",
        "kontonummern", "compte bancaire", "numéro de compte", "numéros de compte", "cuenta bancaria",
        "cuentas bancarias", "número de cuenta", "conto corrente", "conto bancario", "conta bancária",
        "contas bancárias", "rekeningnummer", "rekeningnummers", "konto bankowe", "numer konta",
        "banka hesabı", "банковский счет", "номер счета", "银行账号", "口座番号", "계좌번호",
    ]),
    (&[RoutingNumber], &[
        "routing number", "routing numbers", "aba", "aba number", "swift", "swift code", "bic",
        "sort code", "sort codes", "bsb", "ifsc", "bankleitzahl",
    ]),
    (&[CryptoWallet], &[
        "crypto", "crypto wallet", "wallet", "wallet address", "crypto address", "bitcoin address",
        "cryptocurrency address", "ethereum address", "crypto wallet address", "cryptocurrency wallet",
    ]),
    (&[ApiKey], &[
        "api key", "api keys", "api token", "access key", "api-schlüssel", "clé api", "clave api",
        "chiave api",
    ]),
    (&[Password], &[
        "password", "passwords", "passwort", "passwörter", "kennwort", "mot de passe", "mots de passe",
        "contraseña", "contraseñas", "senha", "senhas", "wachtwoord", "wachtwoorden", "hasło", "hasła",
        "şifre", "пароль", "пароли", "密码", "パスワード", "비밀번호", "passcode", "pin",
    ]),
    (&[ApiKey, Password, Secret, PrivateKey, Jwt, Authorization, Cookie], &[
        "secret", "secrets", "credential", "credentials", "token", "tokens", "access token", "key",
        "keys", "geheimnis", "zugangsdaten", "identifiants", "credenciales", "credenziali", "credenciais",
    ]),
    (&[PrivateKey], &["private key", "private keys", "ssh key", "privater schlüssel"]),
    (&[Jwt], &["jwt", "jwts", "json web token", "bearer token"]),
    (&[Authorization], &["authorization", "authorization header"]),
    (&[Cookie], &["cookie", "cookies"]),
    (&[Name], &[
        "name", "names", "person", "persons", "people", "person name", "personal name", "full name",
        "first name", "last name", "surname", "forename", "people name", "customer name", "patient name",
        "employee name", "user name of person", "people's name", "person's name", "vorname", "nachname",
        "namen", "personenname", "personennamen", "nom", "noms", "nom de personne", "noms de personnes",
        "prénom", "prénoms", "nombre", "nombres", "nombre de persona", "nombres de personas", "apellido",
        "apellidos", "nome", "nomi", "cognome", "cognomi", "nomes", "nomes de pessoas", "naam",
        "namen van personen", "achternaam", "voornaam", "imię", "imiona", "nazwisko", "nazwiska", "isim",
        "isimler", "ad", "soyadı", "имя", "имена", "фамилия", "фамилии", "фио", "姓名", "名字", "人名", "氏名",
        "名前", "이름",
    ]),
    (&[Address], &[
        "address", "addresses", "street address", "home address", "postal address", "mailing address",
        "physical address", "residential address", "adresse", "adressen", "anschrift", "anschriften",
        "adresses", "adresse postale", "adresses postales", "dirección", "direcciones", "domicilio",
        "indirizzo", "indirizzi", "endereço", "endereços", "morada", "moradas", "adres", "adresy",
        "adresler", "adresi", "адрес", "адреса", "地址", "住址", "住所", "주소",
    ]),
    (&[Postcode], &[
        "postcode", "post code", "postal code", "zip", "zip code", "zipcode", "plz", "postleitzahl",
        "postleitzahlen", "code postal", "codes postaux", "código postal", "códigos postales", "cap",
        "kod pocztowy", "posta kodu", "почтовый индекс", "邮编", "郵便番号", "우편번호",
    ]),
    (&[DateOfBirth], &[
        "date of birth", "dates of birth", "dob", "birth date", "birthdate", "birthday", "birthdays",
        "geburtsdatum", "geburtsdaten", "geburtstag", "date de naissance", "dates de naissance",
        "fecha de nacimiento", "fechas de nacimiento", "data di nascita", "date di nascita",
        "data de nascimento", "datas de nascimento", "geboortedatum", "geboortedata", "data urodzenia",
        "daty urodzenia", "doğum tarihi", "doğum tarihleri", "дата рождения", "даты рождения", "出生日期",
        "生日", "生年月日", "생년월일",
    ]),
    (&[Age], &[
        "age", "ages", "alter", "âge", "edad", "età", "idade", "leeftijd", "wiek", "yaş", "возраст", "年龄",
        "年齢", "나이",
    ]),
    (&[VehicleRegistration], &[
        "vehicle registration", "license plate", "licence plate", "number plate", "plate number", "vin",
        "vehicle identification number", "kennzeichen", "nummernschild", "plaque d'immatriculation",
        "matrícula", "targa", "kenteken", "numer rejestracyjny", "plaka", "номер машины", "车牌",
        "vehicle identifier",
    ]),
    (&[CompanyId], &[
        "company id", "company number", "company registration number", "business number",
        "handelsregisternummer", "siren", "siret", "kvk", "company identifier",
    ]),
    (&[Location], &[
        "location", "locations", "place", "places", "city", "cities", "country", "countries", "town",
        "geographic location", "gpe", "loc", "ort", "orte", "stadt", "städte", "lieu", "lieux", "ville",
        "villes", "lugar", "lugares", "ciudad", "ciudades", "luogo", "luoghi", "città", "local", "cidade",
        "cidades", "plaats", "plaatsen", "miejsce", "miasto", "yer", "şehir", "место", "места", "город",
        "города", "地点", "場所", "장소",
    ]),
    (&[Organization], &[
        "organization", "organizations", "organisation", "organisations", "company", "companies",
        "company name", "employer", "business name", "org", "firm", "firma", "firmen", "unternehmen",
        "firmenname", "entreprise", "entreprises", "société", "sociétés", "empresa", "empresas",
        "azienda", "aziende", "società", "bedrijf", "bedrijven", "bedrijfsnaam", "şirket", "şirketler",
        "компания", "компании", "организация", "организации", "公司", "会社", "会社名", "회사",
    ]),
    (&[Date], &[
        "date", "dates", "date time", "datum", "fecha", "fechas", "data", "tarih", "дата", "даты", "日期",
        "日付", "날짜", "calendar date",
    ]),
    (&[Title], &[
        "title", "titles", "job title", "job titles", "position", "profession", "occupation",
        "berufsbezeichnung", "titel", "titre", "puesto", "cargo", "titolo", "stanowisko",
    ]),
    (&[Nationality], &[
        "nationality", "nationalities", "nrp", "norp", "religion", "ethnicity", "nationalität",
        "nationalité", "nacionalidad", "nazionalità", "nacionalidade", "nationaliteit", "narodowość",
        "национальность",
    ]),
    (
        &[
            Name,
            Email,
            Phone,
            Address,
            Ssn,
            NationalId,
            TaxId,
            Passport,
            DriverLicense,
            IdCard,
            MedicalRecordNumber,
            HealthInsurance,
            CreditCard,
            Iban,
            BankAccount,
            DateOfBirth,
            ApiKey,
            Password,
            Secret,
            PrivateKey,
            Jwt,
            Authorization,
            Cookie,
        ],
        &[
            "pii", "phi", "pii entity", "personal data", "personal information",
            "personally identifiable information", "sensitive information", "sensitive data",
            "personenbezogene daten", "données personnelles", "datos personales", "dati personali",
            "dados pessoais", "persoonsgegevens", "dane osobowe", "персональные данные", "个人信息",
        ]),
];

/// Words that say nothing about the kind.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const FILLERS: &[&str] = &[
    "all", "any", "every", "the", "a", "an", "of", "for", "and", "my", "our", "their", "customer",
    "customers'", "client", "user", "users", "personal", "private", "please", "redact", "remove", "hide",
    "mask", "alle", "toutes", "tous", "les", "des", "todos", "todas", "los", "las", "tutti", "tutte", "i",
    "le", "gli", "os", "as", "wszystkie", "tüm", "все", "所有",
];

/// Countries and the words made of them.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const COUNTRIES: &[&str] = &[
    "us", "usa", "u.s.", "american", "amerikanische", "américain", "uk", "british", "britische", "english",
    "irish", "canadian", "kanadische", "mexican", "brazilian", "brasileiro", "argentinian", "chilean",
    "colombian", "peruvian", "german", "germany", "deutsche", "deutscher", "allemand", "alemán", "french",
    "france", "französische", "français", "francés", "spanish", "spain", "spanische", "español", "espagnol",
    "italian", "italy", "italienische", "italiano", "italien", "portuguese", "dutch", "nederlandse",
    "niederländische", "belgian", "swiss", "schweizer", "suisse", "austrian", "österreichische", "polish",
    "polski", "polnische", "czech", "slovak", "hungarian", "romanian", "bulgarian", "croatian", "slovenian",
    "serbian", "greek", "swedish", "norwegian", "danish", "finnish", "icelandic", "estonian", "latvian",
    "lithuanian", "ukrainian", "russian", "российский", "turkish", "türk", "israeli", "indian", "chinese",
    "taiwanese", "japanese", "korean", "singaporean", "singapore", "thai", "vietnamese", "philippine",
    "indonesian", "malaysian", "australian", "australia", "new", "zealand", "nigerian", "kenyan", "egyptian",
    "south", "african", "european", "eu",
];

/// Words that no name of a kind holds.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const NO_NOUNS: &[&str] = &[
    "everything", "anything", "something", "that", "which", "who", "whatever", "looks", "look", "is", "are",
    "be", "not", "but", "except", "if", "when", "should", "must", "stuff", "things", "thing", "sensitive",
    "important", "other", "else", "it", "this", "to", "from", "with", "in", "on", "alles", "tout", "todo",
    "tutto",
];
