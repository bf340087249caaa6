//! Companies that bear the name of a person: `Ford Motors`, `Marks & Spencer`.

use redact::identifiers::Entity;

use crate::feature::Page;
use crate::lists::FORENAME;
use crate::model::Found;
use crate::token::{Look, Token};

/// Words of companies and institutions behind a name, in lower case.
const WORDS: &[&str] = &[
    "ab",
    "ag",
    "airlines",
    "associates",
    "bank",
    "brothers",
    "bros",
    "bv",
    "capital",
    "chemicals",
    "clinic",
    "co",
    "college",
    "company",
    "corp",
    "corporation",
    "electric",
    "electronics",
    "energy",
    "foods",
    "foundation",
    "gmbh",
    "group",
    "holding",
    "holdings",
    "hospital",
    "hotel",
    "inc",
    "industries",
    "institute",
    "insurance",
    "kg",
    "labs",
    "llc",
    "llp",
    "logistics",
    "ltd",
    "media",
    "motor",
    "motors",
    "nv",
    "oy",
    "oyj",
    "partners",
    "pharma",
    "pharmaceuticals",
    "plc",
    "sa",
    "sarl",
    "school",
    "se",
    "securities",
    "services",
    "software",
    "solutions",
    "sons",
    "spa",
    "srl",
    "studios",
    "systems",
    "technologies",
    "technology",
    "traders",
    "trading",
    "trust",
    "university",
    "ventures",
    "works",
];
/// Companies and brands whose names look like names of persons, in lower case.
const BRANDS: &[&str] = &[
    "aston martin",
    "audi",
    "beiersdorf",
    "bosch",
    "calvin klein",
    "charles schwab",
    "dell",
    "ernst & young",
    "ferrari",
    "fitch",
    "ford",
    "goldman sachs",
    "harley-davidson",
    "heineken",
    "henkel",
    "hewlett packard",
    "hugo boss",
    "jack daniels",
    "johnnie walker",
    "lockheed martin",
    "louis vuitton",
    "marriott",
    "mary kay",
    "mercedes",
    "merrill lynch",
    "moody's",
    "morgan stanley",
    "nielsen",
    "nvidia",
    "oliver wyman",
    "philips",
    "porsche",
    "ralph lauren",
    "renault",
    "rolls-royce",
    "siemens",
    "thyssen",
    "tiffany",
    "tommy hilfiger",
    "warner bros",
    "wells fargo",
];
/// The most words that follow a name up to that of a company: `Baker Hughes Oil Services`.
const REACH: usize = 2;

/// Makes names of the model into organizations where the words beside them show it. Each name is looked at once.
pub(crate) fn reclassify(tokens: &[Token<'_>], page: &Page, found: &mut [Found]) {
    for one in found.iter_mut().filter(|one| one.entity == Entity::Name) {
        if let Some(end) = company_end(tokens, page, one) {
            one.end = end;
            one.entity = Entity::Organization;
        } else if is_brand(page, one) || is_joined(tokens, page, one) {
            one.entity = Entity::Organization;
        }
    }
}

/// Behind the word of a company that follows, or ends the name.
fn company_end(tokens: &[Token<'_>], page: &Page, one: &Found) -> Option<usize> {
    let last = one.end.checked_sub(1)?;
    let named = (last..=one.end + REACH).take_while(|at| *at == last || is_capital(tokens, *at));
    let company =
        |at: &usize| page.tokens().get(*at).is_some_and(|token| WORDS.contains(&token.lower.as_str()));
    let end = named.filter(company).last()? + 1;
    (end > one.first + 1).then_some(end)
}

/// Whether the name, or the name with the word before it, is a brand: the model may leave out the first word.
fn is_brand(page: &Page, one: &Found) -> bool {
    let named = |first: usize| {
        let words = page.tokens().get(first..one.end).unwrap_or_default();
        let name: Vec<&str> = words.iter().map(|token| token.lower.as_str()).collect();
        BRANDS.contains(&name.join(" ").as_str()) || BRANDS.contains(&name.concat().as_str())
    };
    named(one.first) || one.first.checked_sub(1).is_some_and(named)
}

/// Whether the name is joined to another one by `&` and is no forename.
fn is_joined(tokens: &[Token<'_>], page: &Page, one: &Found) -> bool {
    let is_and = |at: usize| tokens.get(at).is_some_and(|token| token.text == "&");
    let behind = is_and(one.end) && is_capital(tokens, one.end + 1);
    let before =
        one.first.checked_sub(2).is_some_and(|before| is_and(before + 1) && is_capital(tokens, before));
    let alone = one.end - one.first == 1;
    let forename = page.tokens().get(one.first).is_some_and(|token| token.lists & FORENAME != 0);
    alone && !forename && (behind || before)
}

fn is_capital(tokens: &[Token<'_>], index: usize) -> bool {
    let looks = [Look::Capital, Look::Mixed, Look::Upper];
    tokens.get(index).is_some_and(|token| looks.contains(&token.look))
}
