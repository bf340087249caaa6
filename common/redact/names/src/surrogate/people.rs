//! Names of no real person: a list of our own, by script and gender.

/// What a forename tells about its bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gender {
    Female,
    Male,
    Unknown,
}

/// A script with names of its own.
pub(super) struct Names {
    pub(super) female: &'static [&'static str],
    pub(super) male: &'static [&'static str],
    pub(super) unknown: &'static [&'static str],
    pub(super) surnames: &'static [&'static str],
}

#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const LATIN: Names = Names {
    female: &[
        "Alice", "Amelia", "Beatrice", "Bianca", "Carla", "Cecilia", "Clara", "Diana", "Edith", "Elena",
        "Eloise", "Emilia", "Flora", "Frida", "Greta", "Hazel", "Helena", "Ines", "Irene", "Ivy", "Josephine",
        "Judith", "Laura", "Lena", "Lilian", "Livia", "Lucia", "Mabel", "Marta", "Matilda", "Mira", "Nadia",
        "Nina", "Nora", "Olive", "Paula", "Petra", "Renata", "Rita", "Rosalie", "Selma", "Silvia", "Stella",
        "Tessa", "Thea", "Ursula", "Vera", "Viola", "Wanda", "Yvonne",
    ],
    male: &[
        "Adrian", "Albert", "Alfred", "Anton", "Arthur", "August", "Boris", "Bruno", "Caspar", "Conrad",
        "Cyril", "Dario", "Edgar", "Edmund", "Emil", "Ernest", "Felix", "Ferdinand", "Fabian", "Gilbert",
        "Gregor", "Gustav", "Harold", "Hector", "Hugo", "Ivan", "Jasper", "Julius", "Karl", "Laurence",
        "Leonard", "Linus", "Lorenz", "Marius", "Maurice", "Milan", "Nestor", "Oscar", "Otto", "Pascal",
        "Quentin", "Ralph", "Roland", "Rupert", "Silas", "Theodor", "Tobias", "Valentin", "Victor", "Walter",
    ],
    unknown: &[
        "Alex", "Ariel", "Avery", "Blair", "Cameron", "Charlie", "Dakota", "Devon", "Eden", "Ellis", "Emery",
        "Finley", "Harper", "Jamie", "Jules", "Kendall", "Kim", "Lane", "Logan", "Lou", "Luca", "Marlow",
        "Morgan", "Noa", "Parker", "Quinn", "Reese", "Remy", "Riley", "Robin", "Rowan", "Sage", "Sam",
        "Sasha", "Skyler", "Taylor", "Toni", "Val", "Winter", "Yael",
    ],
    surnames: &[
        "Abernall", "Ashgrove", "Barlowe", "Bellmont", "Birchall", "Brackley", "Calloway", "Carrick",
        "Castellan", "Dalby", "Darrow", "Delmonte", "Easterby", "Ellwood", "Fairbourne", "Falkner", "Farrow",
        "Fennimore", "Garrick", "Glenmore", "Halloway", "Hartwell", "Hawthorn", "Hollis", "Ingleby",
        "Jarvisson", "Kerrigan", "Kestrel", "Lachlan", "Langmere", "Larkin", "Linford", "Maddox", "Marlowe",
        "Merriweather", "Montclair", "Norwell", "Oakhurst", "Orlova", "Pemberley", "Penrose", "Quillon",
        "Ravenna", "Redmayne", "Rosmer", "Sandoval", "Sedgwick", "Sommerfeld", "Tamsin", "Thornbury",
        "Tremaine", "Underhill", "Vandermeer", "Wainwright", "Wetherby", "Whitlock", "Winslow", "Wyndham",
        "Yarrow", "Zeller",
    ],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const CYRILLIC: Names = Names {
    female: &[
        "Алина", "Вера", "Галина", "Дарья", "Жанна", "Зоя", "Инна", "Кира", "Лидия", "Майя", "Нина", "Полина",
        "Рита", "София", "Тамара", "Ульяна",
    ],
    male: &[
        "Антон", "Борис", "Виктор", "Глеб", "Денис", "Егор", "Захар", "Илья", "Кирилл", "Лев", "Марк",
        "Никита", "Олег", "Павел", "Роман", "Тимур",
    ],
    unknown: &["Саша", "Женя", "Валя", "Слава", "Паша"],
    surnames: &[
        "Берёзко", "Вербенко", "Гранатко", "Дубровенко", "Журавко", "Заречко", "Ивенко", "Калинко", "Лозенко",
        "Мятленко", "Ольшенко", "Полевко", "Рябинко", "Снежко", "Тополенко", "Ясенко",
    ],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const GREEK: Names = Names {
    female: &["Αγγελική", "Βασιλική", "Δάφνη", "Ειρήνη", "Ζωή", "Θάλεια", "Ιόλη", "Λητώ", "Νεφέλη", "Χλόη"],
    male: &[
        "Άρης", "Βίκτωρ", "Δημοσθένης", "Ερμής", "Ιάσων", "Λεωνίδας", "Μίλτος", "Ορέστης", "Πάρης", "Φοίβος",
    ],
    unknown: &["Άλκης", "Φρίξος", "Ρένος"],
    surnames: &[
        "Αμπελάς", "Βουνάρης", "Δαφνής", "Ελατάς", "Καμπανάς", "Λιβαδάς", "Μελισσάς", "Πευκάς", "Ροδάς",
        "Φαράγγης",
    ],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const HAN: Names = Names {
    female: &["若兰", "思雨", "晓梅", "静怡", "雅琴", "佳慧"],
    male: &["建明", "志远", "文博", "浩然", "国栋", "俊杰"],
    unknown: &["子安", "一鸣", "明月", "清和", "知行", "嘉言", "景行", "允中"],
    surnames: &["欧阳", "司徒", "上官", "慕容", "东方", "南宫", "诸葛", "夏侯", "皇甫", "尉迟"],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const HANGUL: Names = Names {
    female: &["서윤", "하은", "지우", "다은"],
    male: &["도윤", "시우", "준호", "태민"],
    unknown: &["가온", "나라", "하늘", "새벽", "보람", "한결"],
    surnames: &["남궁", "황보", "제갈", "선우", "독고", "사공"],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const KANA: Names = Names {
    female: &["アオイ", "サクラ", "ヒナタ"],
    male: &["ハルト", "ソウタ", "リク"],
    unknown: &["ヒカル", "ツバサ", "ミライ", "カオル"],
    surnames: &["アサギリ", "ハナムラ", "ツキシロ", "ミナカミ", "ヤマブキ", "カザハヤ"],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const ARABIC: Names = Names {
    female: &["ليلى", "سلمى", "هدى", "منى"],
    male: &["سامر", "ماجد", "رامي", "فارس"],
    unknown: &["نور", "صباح", "جود", "وسام"],
    surnames: &["البستاني", "الغزالي", "الرافعي", "الشامي", "النجار", "الوادي"],
};
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
pub(super) const HEBREW: Names = Names {
    female: &["תמר", "יעל", "נועה", "מיכל"],
    male: &["אורי", "איתן", "יונתן", "גיא"],
    unknown: &["טל", "עדן", "שחר", "ליאור"],
    surnames: &["אלון", "ברוש", "גפן", "הדס", "כרמל", "נחל"],
};

/// Usual forenames with their gender, in lower case, beside those of the lists above.
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
const FEMALE: &[&str] = &[
    "anna", "ann", "anne", "maria", "marie", "mary", "jennifer", "linda", "elizabeth", "barbara", "susan",
    "jessica", "sarah", "karen", "lisa", "nancy", "betty", "sandra", "margaret", "ashley", "kimberly",
    "emily", "donna", "michelle", "carol", "amanda", "melissa", "deborah", "stephanie", "rebecca", "sharon",
    "cynthia", "amy", "angela", "emma", "olivia", "sophia", "sofia", "isabella", "mia", "charlotte", "julia",
    "katharina", "sabine", "monika", "ursula", "claudia", "nicole", "camille", "chloé", "léa", "manon",
    "carmen", "lucía", "isabel", "pilar", "ana", "giulia", "francesca", "chiara", "agnieszka", "katarzyna",
    "małgorzata", "ewa", "anja", "ingrid", "astrid", "ayşe", "fatma", "zeynep", "elena", "olga", "natalia",
    "svetlana", "jane", "kate", "alice", "grace", "rachel", "hannah", "eva", "heidi", "priya", "fatima",
    "aisha", "анна", "мария", "елена", "ольга", "наталья", "ирина", "светлана", "татьяна", "екатерина",
    "μαρία", "ελένη",
];
#[rustfmt::skip] // Words side by side; one on each line would hide the table.
const MALE: &[&str] = &[
    "james", "john", "robert", "michael", "william", "david", "richard", "joseph", "thomas", "charles",
    "christopher", "daniel", "matthew", "anthony", "mark", "donald", "steven", "paul", "andrew", "joshua",
    "kenneth", "kevin", "brian", "george", "edward", "ronald", "timothy", "jason", "jeffrey", "ryan", "jacob",
    "gary", "eric", "jonathan", "stephen", "peter", "hans", "klaus", "wolfgang", "jürgen", "stefan",
    "andreas", "markus", "max", "jan", "pierre", "jean", "michel", "luc", "antoine", "carlos", "josé", "juan",
    "luis", "miguel", "pedro", "antonio", "marco", "giovanni", "giuseppe", "luca", "andrea", "piotr",
    "krzysztof", "tomasz", "marek", "lars", "erik", "sven", "mehmet", "mustafa", "ahmet", "ali", "mohammed",
    "muhammad", "omar", "raj", "sergei", "dmitri", "vladimir", "александр", "сергей", "дмитрий", "андрей",
    "алексей", "иван", "михаил", "владимир", "николай", "γιώργος", "νίκος",
];

/// The gender that a forename shows.
pub(super) fn gender(lower: &str) -> Gender {
    let listed = |list: &[&str]| list.iter().any(|name| name.to_lowercase() == lower);
    if FEMALE.contains(&lower) || listed(LATIN.female) || listed(CYRILLIC.female) {
        Gender::Female
    } else if MALE.contains(&lower) || listed(LATIN.male) || listed(CYRILLIC.male) {
        Gender::Male
    } else {
        Gender::Unknown
    }
}

/// The names of the script that a name is written in.
pub(super) fn names(name: &str) -> &'static Names {
    match name.chars().find(|letter| letter.is_alphabetic()).unwrap_or('a') {
        '\u{370}'..='\u{3FF}' => &GREEK,
        '\u{400}'..='\u{52F}' => &CYRILLIC,
        '\u{590}'..='\u{5FF}' => &HEBREW,
        '\u{600}'..='\u{6FF}' => &ARABIC,
        '\u{3040}'..='\u{30FF}' => &KANA,
        '\u{3400}'..='\u{9FFF}' => &HAN,
        '\u{AC00}'..='\u{D7AF}' => &HANGUL,
        _ => &LATIN,
    }
}
