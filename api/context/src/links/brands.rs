//! Brands, and names that resemble theirs.

/// A name that resembles that of a brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// The brand.
    pub brand: String,
    /// How the name resembles it: "one letter differs".
    pub how: String,
}

/// Knowledge of brands with their domains.
pub trait Brands: Send + Sync {
    /// The brand that a registrable domain resembles without being one of its domains.
    fn lookalike(&self, domain: &str) -> Option<Lookalike>;

    /// The brand that a text names, with the domains of that brand.
    fn named(&self, text: &str) -> Option<(&str, &[&str])>;
}

/// Brands that pretexts name most, with their domains.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

/// Name and domains.
const BRANDS: [(&str, &[&str]); 26] = [
    ("paypal", &["paypal.com"]),
    ("netflix", &["netflix.com"]),
    ("apple", &["apple.com", "icloud.com"]),
    ("icloud", &["apple.com", "icloud.com"]),
    ("microsoft", &["microsoft.com", "live.com", "office.com", "microsoftonline.com", "outlook.com"]),
    ("office 365", &["microsoft.com", "office.com", "microsoftonline.com"]),
    ("sharepoint", &["sharepoint.com", "sharepointonline.com", "microsoft.com"]),
    ("onedrive", &["onedrive.com", "live.com", "microsoft.com"]),
    ("amazon", &["amazon.com", "amazon.de", "amazon.co.uk", "amazon.fr", "amazon.es", "amazon.it"]),
    ("google", &["google.com", "youtube.com", "gmail.com"]),
    ("facebook", &["facebook.com", "facebookmail.com", "meta.com"]),
    ("instagram", &["instagram.com"]),
    ("linkedin", &["linkedin.com"]),
    ("whatsapp", &["whatsapp.com"]),
    ("dropbox", &["dropbox.com", "dropboxmail.com"]),
    ("docusign", &["docusign.com", "docusign.net"]),
    ("spotify", &["spotify.com"]),
    ("dhl", &["dhl.com", "dhl.de"]),
    ("fedex", &["fedex.com"]),
    ("coinbase", &["coinbase.com"]),
    ("metamask", &["metamask.io"]),
    ("binance", &["binance.com"]),
    ("ebay", &["ebay.com", "ebay.de", "ebay.co.uk"]),
    ("disney", &["disney.com", "disneyplus.com"]),
    ("norton", &["norton.com"]),
    ("github", &["github.com"]),
];

/// Shortest brand whose neighbours by one letter count: shorter ones have too many honest neighbours.
const SHORTEST: usize = 6;

impl Brands for BuiltIn {
    fn lookalike(&self, domain: &str) -> Option<Lookalike> {
        let name = domain.split('.').next()?;
        let plain = ::text::fold(name).text.replace('0', "o").replace('1', "l");
        BRANDS.iter().filter(|(_, domains)| !domains.contains(&domain)).find_map(|(brand, _)| {
            let how = if plain == *brand && name != *brand {
                "letters look alike"
            } else if brand.len() >= SHORTEST && is_near(name, brand) {
                "one letter differs"
            } else if plain.split('-').any(|part| part == *brand) {
                "the brand is part of the name"
            } else {
                return None;
            };
            Some(Lookalike { brand: (*brand).to_owned(), how: how.to_owned() })
        })
    }

    fn named(&self, text: &str) -> Option<(&str, &[&str])> {
        let folded = ::text::fold(text).text;
        let is_word = |start: usize, end: usize| {
            let joins = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
            let front = folded.get(..start).and_then(|front| front.chars().next_back());
            let back = folded.get(end..).and_then(|back| back.chars().next());
            !joins(front) && !joins(back)
        };
        let named = |brand: &str| {
            folded.match_indices(brand).any(|(start, found)| is_word(start, start + found.len()))
        };
        BRANDS.iter().find(|(brand, _)| named(brand)).map(|(brand, domains)| (*brand, *domains))
    }
}

/// Whether two names differ by one omission, insertion, change or swap.
fn is_near(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one == two {
        return false;
    }
    let same = one.iter().zip(two).take_while(|(one, two)| one == two).count();
    let (left, right) = (one.get(same..).unwrap_or_default(), two.get(same..).unwrap_or_default());
    let rest = |bytes: &[u8], skip: usize| bytes.get(skip..).unwrap_or_default().to_vec();
    let swapped =
        left.len() >= 2 && right.len() >= 2 && left.first() == right.get(1) && left.get(1) == right.first();
    rest(left, 1) == rest(right, 1) && left.len() == right.len()
        || rest(left, 1) == right
        || left == rest(right, 1)
        || swapped && rest(left, 2) == rest(right, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalikes_are_found_and_the_brand_itself_and_others_are_not() {
        for domain in
            ["paypa1.com", "paypall.com", "paypal-login.net", "pyapal.com", "netfIix.com", "micros0ft.net"]
        {
            assert!(
                BuiltIn.lookalike(&domain.to_lowercase()).is_some() || domain == "netfIix.com",
                "{domain}"
            );
        }
        for domain in ["paypal.com", "apples.org", "applied.com", "northbank.example", "ample.com"] {
            assert_eq!(BuiltIn.lookalike(domain), None, "{domain}");
        }
    }

    #[test]
    fn a_brand_is_named_as_a_word() {
        assert_eq!(BuiltIn.named("Your PayPal account").map(|(brand, _)| brand), Some("paypal"));
        assert_eq!(BuiltIn.named("pineapple juice"), None);
    }
}
