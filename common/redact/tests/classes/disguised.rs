//! Secrets disguised by characters without width, letters of other scripts and wide letters; and text that holds such
//! characters by right.

/// By class.
pub(crate) const TABLE: &[(&str, &[&str])] = &[
    (
        "no width in names",
        &[
            "p\u{200b}assword={p}",
            "login pass\u{200d}word: {p}",
            "export API_\u{2060}KEY={t32}",
            "{\"client_s\u{feff}ecret\":\"{t24}\"}",
            "db pass\u{ad}wd='{p}'",
            "p\u{200c}\u{200c}assword\u{200b}=\u{200b}{p}",
            "password=\u{200b}\"{p}\"",
            "Authori\u{200b}zation: Bearer {t40}",
            "Coo\u{ad}kie: sid={t32}",
            "cu\u{200b}rl -u admin:{p} https://x.example",
            "CREATE USER x IDENTI\u{200b}FIED BY '{p}'",
            "postgres:/\u{200b}/app:{p}@db.example/x",
        ],
    ),
    (
        "no width in tokens",
        &[
            "gh\u{200b}p_{t36} pushed",
            "found ghp_{t20}\u{200b}{t20} in a file",
            "found glpat-{t10}\u{ad}{t10}\u{feff}{t10}",
            "AK\u{200b}IAQWERTYUIOPASDFGH {t40}",
            "AKIAQWER\u{200d}TYUIOPASDFGH secret {t40}",
            "sk_live\u{2060}_{t24}",
            "xoxb-{t12}\u{200b}-{t12}",
            "-----BEGIN PRIV\u{200b}ATE KEY-----\n{b64}\n{b64}\n-----END PRIVATE KEY-----",
            "root:$6\u{200b}${c8}${c86}",
        ],
    ),
    (
        "no width in values",
        &["password=\"{z}\"", "token: {z}", "password={t8}\u{feff}{t8}\u{ad}{t8}", "--password '{z}' -v"],
    ),
    (
        "look-alikes",
        &[
            "p\u{430}ssword: {p}",
            "pa\u{455}\u{455}word={p}",
            "Authorization: B\u{435}arer {t40}",
            "\u{410}uthorization: Bearer {t40}",
            "\u{410}KIAQWERTYUIOPASDFGH {t40}",
            "set t\u{43e}ken {=l5} access_t\u{3bf}ken={t32}",
            "{\"secr\u{435}t\":\"{t24}\"}",
            "s\u{435}cret_k\u{435}\u{443}={t32}",
            "pwd tool: my\u{440}assword={p}",
            "gh\u{440}_{t36}",
        ],
    ),
    (
        "wide letters and signs",
        &[
            "ｐａｓｓｗｏｒｄ＝{p}",
            "password：{p}",
            "password ＝ {p}",
            "Ｔｏｋｅｎ： {t32}",
            "\"password\"：\"{p}\"",
            "＂ｐａｓｓｗｏｒｄ＂：＂{t16}＂",
            "𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱={p}",
            "𝚊𝚙𝚒_𝚔𝚎𝚢: {t32}",
            "ｇｈｐ_{t40}",
        ],
    ),
];

/// Text of one script, marks that writing needs, and disguises that hide nothing.
pub(crate) const INNOCENT: &[(&str, &[&str])] = &[
    (
        "writing that needs joiners",
        &[
            "می\u{200c}خواهم وارد شوم، گذرواژه نادرست است",
            "کاربر ali نمی\u{200c}تواند وارد شود: code 403",
            "family 👩\u{200d}👩\u{200d}👧\u{200d}👦 joined the channel",
            "deploy done 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f}\u{200d}🔥 in 12 s",
            "क्\u{200d}ष और ශ්\u{200d}රී rendered",
            "\u{feff}{\"level\":\"info\",\"msg\":\"started\"}",
            "\u{feff}2026-11-01 INFO session opened for user deploy",
            "Donau\u{ad}dampf\u{ad}schiff\u{ad}fahrt wurde neu gestartet",
            "soft\u{ad}ware up\u{ad}date fin\u{ad}ished in 12 s",
            "https://www.example.com/\u{200b}a/\u{200b}long/\u{200b}path 200",
            "name\u{200b}space default ready",
            "שלום\u{200f} user bob\u{200e} (id 7)",
        ],
    ),
    (
        "other scripts",
        &[
            "Рассказ о сервере: 12 строк, код=200",
            "Токен обновлён, пароль не изменён, секрет прежний",
            "IP-адрес 10.0.0.1 принят, 2х2=4, 5г ок",
            "Ο κωδικός άλλαξε για τον χρήστη admin",
            "α1=0.5 β2=0.7 ρ=0.93 ν=12 Δt=3ms 5μs",
            "Το σύστημα ξεκίνησε στις 12:00",
            "エラー：タイムアウト（ｃｏｄｅ＝５０４）",
            "ログイン成功：user＝alice，時刻：12：30",
            "注文番号：１２３４５６ 状態：ＯＫ",
            "用户名：alice，状态：正常，耗时：12ms",
            "사용자 alice 로그인：성공",
            "Größe: 12 kB – naïve café „x“",
        ],
    ),
    (
        "disguises that hide nothing",
        &[
            "p\u{430}ssed=4 of 4",
            "pass\u{200b}ed: 12, fai\u{200b}led: 0",
            "to\u{200b}kens used: many",
            "password\u{200b} changed for bob",
            "Failed p\u{430}ssword for bob from 10.0.0.1",
            "password＝null",
            "ｐａｓｓｗｏｒｄ：${DB}",
        ],
    ),
];
