//! Names of months in many languages, in lower case.

/// The first three or four letters of the months, in lower case, in languages that write them so.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", // English
    "mär", "mai", "okt", "dez", // German
    "fév", "fev", "avr", "juin", "juil", "aoû", "aou", "déc", // French
    "ene", "abr", "ago", "dic", // Spanish
    "set", "out", // Portuguese
    "gen", "mag", "giu", "lug", "ott", // Italian
    "mrt", "maa", "mei", // Dutch
    "sty", "lut", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru", // Polish
    "oca", "şub", "nis", "haz", "tem", "ağu", "eyl", "eki", "kas", "ara", // Turkish
    "янв", "фев", "мар", "апр", "мая", "май", "июн", "июл", "авг", "сен", "окт", "ноя",
    "дек", // Russian
    "led", "úno", "bře", "dub", "kvě", "čer", "srp", "zář", "říj", "pro", // Czech
    "ian", "iun", "iul", "noi", // Romanian
    "tam", "hel", "huh", "tou", "kes", "hei", "elo", "syy", "lok", "mar", "jou", // Finnish
    "ιαν", "φεβ", "μαρ", "απρ", "μαϊ", "μαΐ", "ιουν", "ιουλ", "αυγ", "σεπ", "οκτ", "νοε",
    "δεκ", // Greek
    "січ", "лют", "бер", "кві", "тра", "чер", "лип", "сер", "вер", "жов", "лис", "гру", // Ukrainian
];

/// Months in full, also in the cases that dates have.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(crate) const MONTH_NAMES: &[&str] = &[
    "january", "february", "march", "april", "june", "july", "august", "sept", "september", "october",
    "november", "december", "januar", "jänner", "februar", "märz", "juni", "juli", "oktober", "dezember",
    "janvier", "février", "mars", "avril", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "setiembre",
    "octubre", "noviembre", "diciembre", "janeiro", "fevereiro", "março", "maio", "junho", "julho",
    "setembro", "outubro", "novembro", "dezembro", "gennaio", "febbraio", "aprile", "maggio", "giugno",
    "luglio", "settembre", "ottobre", "dicembre", "januari", "februari", "maart", "augustus", "augusti",
    "stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września",
    "października", "listopada", "grudnia", "ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz",
    "ağustos", "eylül", "ekim", "kasım", "aralık", "января", "февраля", "марта", "апреля", "июня", "июля",
    "августа", "сентября", "октября", "ноября", "декабря", "ledna", "února", "března", "dubna", "května",
    "června", "července", "srpna", "října", "listopadu", "prosince", "ianuarie", "februarie", "martie",
    "aprilie", "iunie", "iulie", "septembrie", "octombrie", "noiembrie", "decembrie", "tammikuuta",
    "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta",
    "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta", "január", "február", "március", "április", "május",
    "június", "július", "augusztus", "szeptember", "október", "november", "december", "ιανουαρίου",
    "φεβρουαρίου", "μαρτίου", "απριλίου", "μαΐου", "ιουνίου", "ιουλίου", "αυγούστου", "σεπτεμβρίου",
    "οκτωβρίου", "νοεμβρίου", "δεκεμβρίου", "січня", "лютого", "березня", "квітня", "травня", "червня",
    "липня", "серпня", "вересня", "жовтня", "листопада", "грудня",
];
