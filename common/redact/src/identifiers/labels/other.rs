//! Words that name numbers of health, money, contact, birth, and numbers that are nobody's personal data.

use super::Named;
use crate::identifiers::format::label::{
    ADDRESS, AGE, BANK, BIRTH, CALL, CARD, HEALTH, MEDICAL, OTHER, PASSWORD, PHONE, POSTCODE, ROUTING, WALLET,
};

pub(crate) const LABELS: &[Named] = &[
    (MEDICAL, "", &[
        "mrn", "medical record", "medical record number", "medical record no", "medical records", "patient id", "patient number", "patient no", "patient identifier",
        "hospital number", "hospital no", "chart number", "chart no", "health record", "record number for patient", "case record", "patientennummer", "patienten-id",
        "fallnummer", "krankenaktennummer", "dossier médical", "numéro de dossier", "numéro de patient", "ipp", "historia clínica", "número de historia", "nhc",
        "cartella clinica", "numero paziente", "prontuário", "número do prontuário", "patiëntnummer", "dossiernummer", "numer pacjenta", "numer kartoteki",
        "hasta no", "hasta numarası", "dosya no", "номер карты", "медкарта", "медицинская карта", "病历号", "病歷號", "住院号", "患者番号", "診察券番号", "カルテ番号", "환자번호", "등록번호",
    ]),
    (HEALTH, "GB", &["nhs number", "nhs no", "nhs", "nhs #"]),
    (HEALTH, "US", &["mbi", "medicare beneficiary", "medicare number", "medicare id", "npi", "national provider identifier", "dea", "dea number", "dea no", "dea registration"]),
    (HEALTH, "AU", &["medicare", "medicare card", "medicare number", "medicare no"]),
    (HEALTH, "DE", &["kvnr", "krankenversichertennummer", "versichertennummer", "krankenversicherungsnummer", "krankenkasse", "gesundheitskarte", "versicherten-nr"]),
    (HEALTH, "CA", &["ohip", "health card", "health card number", "ramq", "phn", "personal health number", "msp number"]),
    (HEALTH, "NZ", &["nhi", "nhi number"]),
    (HEALTH, "BR", &["cns", "cartão nacional de saúde", "cartão sus"]),
    (HEALTH, "HU", &["taj", "taj szám", "taj-szám"]),
    (HEALTH, "PH", &["philhealth"]),
    (HEALTH, "", &[
        "health insurance", "health insurance number", "health plan", "insurance id", "insurance number", "insurance member", "member id", "member number", "policy number", "policy no", "policy id",
        "subscriber id", "subscriber number", "medicaid", "medicaid id", "ehic", "beneficiary number", "beneficiary id", "insured id", "group number",
        "numéro de mutuelle", "numéro d'assuré", "carte vitale", "tarjeta sanitaria", "número de póliza", "número de asegurado", "tessera sanitaria", "numero polizza",
        "número do plano", "carteirinha", "zorgverzekering", "polisnummer", "verzekerdennummer", "numer polisy", "numer ubezpieczenia", "sigorta no",
        "полис омс", "номер полиса", "омс", "医保号", "医保卡", "保険者番号", "被保険者番号", "보험번호", "versichertenkarte",
    ]),
    (CARD, "", &[
        "credit card", "debit card", "card number", "card no", "visa", "mastercard", "amex", "kreditkarte", "kreditkartennummer", "carte bancaire", "carte de crédit", "numéro de carte",
        "tarjeta de crédito", "tarjeta", "carta di credito", "cartão de crédito", "cartão", "creditcard", "karta kredytowa", "numer karty", "kredi kartı", "кредитная карта", "номер карты", "信用卡", "クレジットカード", "신용카드",
    ]),
    (BANK, "", &[
        "bank account", "bank account number", "account number", "account no", "acct", "acct no", "acct number", "account #", "a/c", "a/c no", "checking account", "savings account", "current account", "bank acct",
        "iban", "clabe", "konto", "kontonummer", "konto-nr", "kontonr", "bankkonto", "bankverbindung", "compte bancaire", "numéro de compte", "compte n°", "n° de compte", "rib", "cuenta bancaria", "número de cuenta", "cuenta",
        "conto corrente", "numero di conto", "numero conto", "c/c", "conta bancária", "conta corrente", "número da conta", "conta", "rekeningnummer", "bankrekening", "rekening", "numer konta", "rachunek", "nr konta", "numer rachunku",
        "hesap no", "hesap numarası", "hesap numaram", "номер счета", "номер счёта", "расчетный счет", "расчётный счёт", "р/с", "kontonummeret", "tilinumero", "bankszámla", "bankszámlaszám", "číslo účtu", "银行账号", "银行卡号", "账号", "帳號", "口座番号", "口座", "계좌번호", "계좌", "nomor rekening", "số tài khoản", "เลขบัญชี", "wire to account", "deposit account",
    ]),
    (ROUTING, "", &[
        "routing number", "routing no", "routing", "aba", "aba number", "rtn", "transit number", "sort code", "bsb", "ifsc", "ifsc code", "bic", "swift", "swift code", "bankleitzahl", "blz", "code banque", "code guichet",
    ]),
    (WALLET, "", &["wallet", "wallet address", "btc address", "bitcoin", "ethereum", "eth address", "litecoin", "dogecoin", "ripple", "xrp", "monero", "tron", "cardano", "solana", "crypto"]),
    (CALL, "", &[
        "call", "call me", "called", "calling", "text me", "text", "texted", "dial", "reach me", "reach", "ring", "anrufen", "erreichen", "erreichbar", "ruf", "téléphonez", "appelez", "appeler", "joindre", "joignable", "llámame", "llamar", "llame", "chiamami", "chiamare", "chiama", "ligue", "ligar", "bel", "bellen", "bereikbaar", "zadzwoń", "dzwonić", "ara", "arayın", "позвоните", "звоните", "soita", "ring mig", "hívjon", "volejte", "portable", "mobil", "cep", "โทร",
    ]),
    (PHONE, "", &[
        "phone", "phones", "phone number", "phone no", "telephone", "telephone number", "tel", "tel.", "mobile", "mobile number", "cell", "cell phone", "cellphone", "cell number", "fax", "fax number", "whatsapp", "sms", "hotline", "landline", "extension number", "contact number", "pager", "phone:",
        "telefon", "telefonnummer", "telefonnr", "rufnummer", "handy", "handynummer", "mobilnummer", "téléphone", "tél", "numéro de téléphone", "teléfono", "móvil", "celular", "número de teléfono",
        "telefono", "cellulare", "numero di telefono", "telefone", "telemóvel", "telemovel", "fone", "telefoonnummer", "telefoon", "mobiel", "mobiele", "numer telefonu", "komórka", "komórkowy", "telefonu", "cep telefonu", "telefonum", "telefon numarası", "телефон", "телефона", "тел", "моб", "мобильный", "номер телефона",
        "puhelin", "puhelinnumero", "telefonszám", "telefonní číslo", "τηλέφωνο", "κινητό", "电话", "手机", "手机号", "電話", "電話番号", "携帯", "携帯電話", "전화", "전화번호", "휴대폰", "핸드폰", "điện thoại", "số điện thoại", "โทรศัพท์", "טלפון", "נייד", "هاتف", "جوال", "फोन", "मोबाइल", "nomor telepon", "telepon",
    ]),
    (POSTCODE, "", &["zip", "zip code", "zipcode", "postcode", "post code", "postal code", "plz", "postleitzahl", "code postal", "código postal", "codigo postal", "cap", "cep", "kod pocztowy", "posta kodu", "почтовый индекс", "индекс", "postnummer", "postinumero", "irányítószám", "psč", "邮编", "邮政编码", "郵便番号", "우편번호", "pin code", "pincode", "eircode"]),
    (BIRTH, "", &[
        "dob", "d.o.b", "d.o.b.", "date of birth", "birth date", "birthdate", "birthday", "born", "born on", "birth", "date of birth:", "geboren", "geb.", "geburtsdatum", "geburtstag", "né le", "née le", "né", "née", "date de naissance", "naissance", "anniversaire",
        "fecha de nacimiento", "nacimiento", "nacido", "nacida", "nací", "cumpleaños", "nació", "data di nascita", "nato", "nata", "nato il", "nata il", "nascita", "compleanno", "data de nascimento", "nascimento", "nascido", "nascida", "nasci", "nasceu", "aniversário",
        "geboortedatum", "geboren op", "geboorte", "verjaardag", "data urodzenia", "urodzony", "urodzona", "ur.", "urodził", "urodziła", "urodzin", "urodziłem", "doğum tarihi", "doğum", "doğumlu", "дата рождения", "родился", "родилась", "рождения", "д.р.", "день рождения",
        "född", "födelsedatum", "født", "fødselsdato", "fødselsdag", "syntynyt", "syntymäaika", "született", "születési", "születési idő", "datum narození", "narozen", "narozena", "născut", "născută", "data nașterii", "datum rođenja", "rođen", "rođena", "ημερομηνία γέννησης", "γεννήθηκε", "дата на раждане", "дата народження", "народився",
        "出生日期", "出生", "生日", "生年月日", "誕生日", "生まれ", "생년월일", "생일", "ngày sinh", "sinh ngày", "วันเกิด", "תאריך לידה", "נולד", "تاريخ الميلاد", "जन्म तिथि", "जन्म", "tanggal lahir", "lahir", "tarikh lahir",
    ]),
    (AGE, "", &["age", "aged", "alter", "âge", "âgé", "âgée", "edad", "età", "idade", "leeftijd", "wiek", "yaş", "возраст", "年龄", "年齢", "나이"]),
    (PASSWORD, "", &["password", "passwords", "passcode", "passphrase", "pwd", "pin", "pin code", "passwort", "kennwort", "mot de passe", "contraseña", "clave", "password è", "senha", "wachtwoord", "hasło", "şifre", "parola", "пароль", "lösenord", "salasana", "密码", "パスワード", "비밀번호"]),
    (ADDRESS, "", &["address", "home address", "mailing address", "postal address", "shipping address", "billing address", "residence", "adresse", "anschrift", "wohnhaft", "wohnt", "dirección", "domicilio", "indirizzo", "residente", "endereço", "morada", "adres", "woonachtig", "zamieszkały", "adresi", "адрес", "adress", "osoite", "lakcím", "adresa", "bydliště", "διεύθυνση", "地址", "住址", "住所", "주소", "địa chỉ", "ที่อยู่", "alamat"]),
    (OTHER, "", &[
        "order", "orders", "order number", "order no", "order id", "order #", "ticket", "tickets", "ticket number", "ticket id", "invoice", "invoice number", "invoice no", "receipt", "tracking", "tracking number", "shipment", "parcel", "package",
        "sku", "product", "product code", "part number", "item", "item number", "model", "model number", "serial", "serial number", "isbn", "issn", "doi", "ean", "upc", "barcode", "batch", "lot", "build", "version", "release", "revision", "commit", "hash", "sha", "sha1", "sha256", "md5", "checksum", "uuid", "guid",
        "database id", "row id", "record id", "object id", "user id", "userid", "customer id", "client id", "account id", "session id", "request id", "trace id", "span id", "transaction", "transaction id", "reference", "reference number", "ref", "booking", "confirmation", "confirmation code", "case number", "case id", "case", "issue", "bug", "incident", "job", "job id", "process id", "pid", "port", "timestamp", "epoch", "error code", "error", "quantity", "total", "price", "amount", "revenue", "population", "votes", "views", "bytes", "page", "chapter", "section", "room", "flight", "gate", "train",
        "bestellung", "bestellnummer", "auftrag", "auftragsnummer", "rechnung", "rechnungsnummer", "sendungsnummer", "seriennummer", "artikelnummer", "kundennummer", "vorgangsnummer", "commande", "numéro de commande", "facture", "numéro de facture", "numéro de série", "référence", "pedido", "número de pedido", "factura", "número de factura", "número de serie", "referencia",
        "ordine", "numero ordine", "fattura", "numero di serie", "riferimento", "fatura", "número de série", "referência", "bestelling", "bestelnummer", "factuur", "factuurnummer", "serienummer", "zamówienie", "zamówienia", "faktura", "faktury", "numer seryjny", "sipariş", "sipariş no", "seri no", "заказ", "заказа", "счет-фактура", "серийный номер", "beställning", "ordernummer", "tilaus", "rendelés", "objednávka", "订单", "订单号", "发票", "注文番号", "注文", "주문번호", "주문",
    ]),
];
