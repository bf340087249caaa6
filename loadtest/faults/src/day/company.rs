//! The simulated company: its people, its machines, and its visitors from the internet. Addresses are
//! from reserved ranges: documentation (RFC 5737) for the office, partners and crawlers,
//! benchmarks (RFC 2544) for visitors and for internet-wide scanners.

use rand::RngExt;
use rand::rngs::StdRng;

/// A participant of a scene: its name, and further attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) value: String,
    more: Vec<(&'static str, String)>,
}

impl Actor {
    /// A participant of which only a text is known.
    pub(crate) fn plain(value: String) -> Self {
        Self { value, more: Vec::new() }
    }

    /// `value` for no name, else the attribute of that name.
    pub(crate) fn tell(&self, name: Option<&str>) -> Option<&str> {
        let Some(name) = name else { return Some(&self.value) };
        self.more.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

const PEOPLE: [&str; 60] = [
    "alice", "bruno", "chiara", "dmitri", "elena", "farid", "greta", "hugo", "ines", "jonas", "katya",
    "liam", "mara", "nils", "olga", "pavel", "quinn", "rosa", "sven", "tara", "ulrich", "vera", "wanda",
    "xavier", "yusuf", "zoe", "anton", "bea", "carlos", "dora", "emil", "fiona", "gustav", "hanna", "ivan",
    "julia", "kofi", "lena", "marek", "nadia", "oscar", "petra", "rafael", "sara", "tomas", "ursula",
    "viktor", "wilma", "yara", "zeno", "agnes", "boris", "clara", "david", "edith", "felix", "gina",
    "harald", "irene", "jakob",
];
/// The first of them have root.
const ADMINISTRATORS: usize = 5;
/// The first of them log in to machines.
const ENGINEERS: usize = 18;
/// Everybody who works in the office shares one address.
const OFFICE: &str = "198.51.100.10";
/// Network of all internet-wide scanners.
pub(crate) const NOISE: &str = "198.19.";

/// Kinds of machines: name, number, network.
const MACHINES: [(&str, usize, u8); 10] = [
    ("web", 6, 1),
    ("app", 8, 2),
    ("db", 4, 3),
    ("build", 3, 4),
    ("node", 12, 5),
    ("bastion", 2, 6),
    ("mail", 1, 7),
    ("srv", 8, 20),
    ("dc", 2, 21),
    ("fw", 1, 0),
];
/// The kinds that run Linux and are logged in to.
const LINUX: [&str; 5] = ["web", "app", "db", "build", "mail"];

const BROWSERS: [&str; 6] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
];
const CRAWLERS: [&str; 7] = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
];

/// Draws the participant of a part; `None` for an unknown part.
pub(crate) fn draw(part: &str, chance: &mut StdRng) -> Option<Actor> {
    let kind = part.trim_end_matches(|last: char| last.is_ascii_digit());
    Some(match kind {
        "person" => person(chance.random_range(0..PEOPLE.len())),
        "engineer" => person(chance.random_range(0..ENGINEERS)),
        "admin" => person(chance.random_range(0..ADMINISTRATORS)),
        "host" => machine(LINUX[chance.random_range(0..LINUX.len())], chance)?,
        "visitor" => visitor(chance),
        "crawler" => crawler(chance.random_range(0..CRAWLERS.len())),
        "partner" => Actor::plain(format!("203.0.113.{}", chance.random_range(20..26))),
        "bot" => {
            let (third, last) = (chance.random_range(0..250), chance.random_range(1..255));
            Actor::plain(format!("{NOISE}{third}.{last}"))
        }
        _ => machine(kind, chance)?,
    })
}

fn person(number: usize) -> Actor {
    let name = PEOPLE[number % PEOPLE.len()].to_owned();
    // Two of five work at home.
    let address = if number % 5 < 3 { OFFICE.to_owned() } else { format!("198.51.100.{}", 20 + number) };
    let more = vec![
        ("mail", format!("{name}@corp.example")),
        ("address", address),
        ("inside", format!("10.30.{}.{}", number / 50, 10 + number % 50)),
        ("pc", format!("PC-{:04}", 1_100 + number)),
        ("uid", (1_001 + number).to_string()),
        ("id", format!("{:08x}-5c1e-4d2a-9b7f-{:012x}", 0x51a0_0000 + number * 7_919, number * 104_729)),
        ("sid", format!("S-1-5-21-3104285116-920584734-1714093052-{}", 1_104 + number)),
    ];
    Actor { value: name, more }
}

fn machine(kind: &str, chance: &mut StdRng) -> Option<Actor> {
    let (kind, count, network) = MACHINES.iter().find(|(name, ..)| *name == kind)?;
    let number = chance.random_range(1..=*count);
    let more = vec![
        ("address", format!("10.0.{network}.{}", 10 + number)),
        ("upper", format!("{}-{number}", kind.to_uppercase())),
        ("number", number.to_string()),
    ];
    Some(Actor { value: format!("{kind}-{number}"), more })
}

fn visitor(chance: &mut StdRng) -> Actor {
    let address = format!("198.18.{}.{}", chance.random_range(0..250), chance.random_range(1..255));
    let agent = BROWSERS[chance.random_range(0..BROWSERS.len())];
    Actor { value: address, more: vec![("agent", agent.to_owned())] }
}

fn crawler(number: usize) -> Actor {
    let agent = CRAWLERS[number % CRAWLERS.len()].to_owned();
    Actor { value: format!("192.0.2.{}", 10 + number), more: vec![("agent", agent)] }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_part_is_played_and_noise_is_told_by_its_address() {
        let mut chance = StdRng::seed_from_u64(1);
        for part in ["person", "engineer2", "admin", "host", "web", "dc", "visitor", "crawler", "partner"] {
            let actor = draw(part, &mut chance).unwrap();
            assert!(!actor.value.starts_with(NOISE), "{part}");
            assert!(!actor.tell(Some("address")).is_some_and(|address| address.starts_with(NOISE)));
        }
        assert!(draw("bot", &mut chance).unwrap().value.starts_with(NOISE));
        assert_eq!(draw("nobody", &mut chance), None);
    }
}
