//! Links whose request may change state: they log out, delete, cancel, pay or send.

use url::Url;

/// Words of links that change state, in order.
const WORDS: [&str; 61] = [
    "abort",
    "accept",
    "activate",
    "add",
    "approve",
    "archive",
    "ban",
    "block",
    "buy",
    "cancel",
    "checkout",
    "clear",
    "close",
    "confirm",
    "create",
    "deactivate",
    "decline",
    "del",
    "delete",
    "demote",
    "deny",
    "destroy",
    "disable",
    "discard",
    "disconnect",
    "drop",
    "empty",
    "erase",
    "execute",
    "flush",
    "import",
    "install",
    "invite",
    "kill",
    "logoff",
    "logout",
    "merge",
    "order",
    "pay",
    "promote",
    "publish",
    "purge",
    "reboot",
    "refund",
    "reject",
    "remove",
    "reset",
    "restart",
    "restore",
    "revoke",
    "send",
    "shutdown",
    "signoff",
    "signout",
    "subscribe",
    "terminate",
    "transfer",
    "truncate",
    "uninstall",
    "unsubscribe",
    "wipe",
];

/// Words that only together name such a link.
const PAIRS: [(&str, &str); 6] =
    [("log", "out"), ("log", "off"), ("sign", "out"), ("sign", "off"), ("opt", "out"), ("shut", "down")];

/// Words that change state only as the value or name of a parameter or as a whole segment of a path: as a part of a title they
/// are ordinary words (`how-to-order`, `add-ons`).
const ORDINARY: [&str; 22] = [
    "accept", "activate", "add", "archive", "block", "buy", "checkout", "clear", "close", "confirm",
    "create", "drop", "empty", "import", "install", "merge", "order", "pay", "publish", "restore", "send",
    "transfer",
];

/// Whether the request of a URL may change state, by the words of its path and its parameters. Linear in the URL.
#[must_use]
pub fn may_change_state(url: &Url) -> bool {
    url.path().split('/').any(|segment| is_hazardous(&decoded(segment)))
        || url.query_pairs().any(|(name, value)| is_hazardous(&name) || is_hazardous(&value))
}

/// The text of a segment, as servers decode it.
fn decoded(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let digit = |place: usize| behind.get(place).and_then(|digit| char::from(*digit).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, digit(0), digit(1)) {
            bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
            rest = behind.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_hazardous(text: &str) -> bool {
    let words = words(text);
    let alone = words.len() == 1;
    let listed = |word: &String| {
        WORDS.binary_search(&word.as_str()).is_ok() && (alone || !ORDINARY.contains(&word.as_str()))
    };
    words.iter().any(listed)
        || words
            .windows(2)
            .any(|pair| PAIRS.iter().any(|(first, second)| pair[0] == *first && pair[1] == *second))
}

/// Words in lower case, split at everything but letters, and where a capital follows a small letter.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for c in text.chars() {
        if (!c.is_alphabetic() || (c.is_uppercase() && after_small)) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_ordered_and_agree() {
        assert!(WORDS.is_sorted());
        assert!(ORDINARY.iter().all(|word| WORDS.contains(word)));
    }

    #[test]
    fn links_that_change_state_are_recognised_by_path_and_parameter() {
        for path in [
            "logout",
            "user/logOut",
            "sign-out",
            "accounts/log_off.php",
            "users/7/delete",
            "DeleteUser?id=7",
            "index.php?action=delete&id=7",
            "mail?unsubscribe=1",
            "opt-out",
            "cart/add",
            "orders/7/cancel",
            "admin/restart",
            "wp-login.php?action=logout",
            "x?do=Log%20Out",
            "%6c%6fgout",
        ] {
            let url = Url::parse(&format!("https://a.test/{path}")).unwrap();
            assert!(may_change_state(&url), "{path}");
        }
        let behind_many =
            format!("https://a.test/{}?{}action=delete", "a/".repeat(600), "page=1&".repeat(100));
        assert!(may_change_state(&Url::parse(&behind_many).unwrap()));
    }

    #[test]
    fn ordinary_links_are_fetched() {
        for path in [
            "",
            "login",
            "blog/how-to-order",
            "add-ons",
            "blocks/",
            "orders/",
            "deleted-scenes",
            "products?sort=price&page=2",
            "search?q=banana",
            "resetting",
        ] {
            assert!(!may_change_state(&Url::parse(&format!("https://a.test/{path}")).unwrap()), "{path}");
        }
    }
}
