//! The catalogue of products: `data/technologies/*.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use super::Category;
use super::pattern::{Pattern, Searched};

/// Files of the built-in catalogue.
const FILES: [&str; 9] = [
    include_str!("../../data/technologies/servers.toml"),
    include_str!("../../data/technologies/languages.toml"),
    include_str!("../../data/technologies/frameworks.toml"),
    include_str!("../../data/technologies/cms.toml"),
    include_str!("../../data/technologies/shops.toml"),
    include_str!("../../data/technologies/delivery.toml"),
    include_str!("../../data/technologies/analytics.toml"),
    include_str!("../../data/technologies/authentication.toml"),
    include_str!("../../data/technologies/libraries.toml"),
];

/// Letters of a literal that is searched in markup or URLs: shorter ones would be found everywhere.
const SHORTEST_LITERAL: usize = 4;

/// A catalogue that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CatalogueError {
    /// A file has another form.
    #[error("catalogue of technologies: {0}")]
    Form(String),
    /// A pattern is not valid.
    #[error("{product}: the pattern {pattern:?} is not valid")]
    Pattern {
        /// Name of the product.
        product: String,
        /// The pattern.
        pattern: String,
    },
    /// Two products have one name.
    #[error("{0} is listed twice")]
    Twice(String),
    /// A product implies one that is not listed.
    #[error("{product} implies {implied}, which is not listed")]
    Implied {
        /// Name of the product.
        product: String,
        /// Name of the other.
        implied: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    category: Category,
    product: Vec<Listed>,
}

/// A product as a file lists it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    #[serde(default)]
    header: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    meta: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default)]
    scripts: Vec<String>,
    #[serde(default)]
    markup: Vec<String>,
    #[serde(default)]
    implies: Vec<String>,
    matches: Vec<String>,
    differs: Vec<String>,
}

/// A product.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) name: String,
    pub(super) category: Category,
    pub(super) implies: Vec<usize>,
    matches: Vec<String>,
    differs: Vec<String>,
}

type Named = BTreeMap<String, Vec<(usize, Pattern)>>;

/// Products and their patterns, prepared for searching.
#[derive(Debug, Default)]
pub struct Catalogue {
    products: Vec<Product>,
    headers: Named,
    metadata: Named,
    cookies: BTreeMap<String, Vec<usize>>,
    cookie_prefixes: Vec<(String, usize)>,
    scripts: Searched,
    markup: Searched,
}

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
    // The files are part of the program and a test loads them, so that an error cannot occur later.
    Catalogue::parse(&FILES).unwrap_or_default()
});

impl Catalogue {
    /// The catalogue of this crate.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a catalogue from the texts of its files.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] if a file, a pattern or a name is not valid.
    pub fn parse(files: &[&str]) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        let mut implied = Vec::new();
        for text in files {
            let file: File = toml::from_str(text).map_err(|error| CatalogueError::Form(error.to_string()))?;
            for listed in file.product {
                implied.push(listed.implies.clone());
                catalogue.add(file.category, listed)?;
            }
        }
        let numbers: BTreeMap<String, usize> = catalogue
            .products
            .iter()
            .enumerate()
            .map(|(number, product)| (product.name.clone(), number))
            .collect();
        for (product, names) in catalogue.products.iter_mut().zip(implied) {
            for name in names {
                let number = numbers.get(&name).copied().ok_or_else(|| CatalogueError::Implied {
                    product: product.name.clone(),
                    implied: name,
                })?;
                product.implies.push(number);
            }
        }
        let full = || CatalogueError::Form("too many patterns".to_owned());
        catalogue.scripts.prepare().ok_or_else(full)?;
        catalogue.markup.prepare().ok_or_else(full)?;
        Ok(catalogue)
    }

    fn add(&mut self, category: Category, listed: Listed) -> Result<(), CatalogueError> {
        let number = self.products.len();
        let name = listed.name;
        if self.products.iter().any(|product| product.name == name) {
            return Err(CatalogueError::Twice(name));
        }
        let refused =
            |pattern: &str| CatalogueError::Pattern { product: name.clone(), pattern: pattern.to_owned() };
        let parse = |text: &String| {
            Pattern::parse(text).map(|pattern| (number, pattern)).ok_or_else(|| refused(text))
        };
        for (into, from) in [(&mut self.headers, &listed.header), (&mut self.metadata, &listed.meta)] {
            for (name, texts) in from {
                let patterns: Vec<_> = texts.iter().map(parse).collect::<Result<_, _>>()?;
                into.entry(name.to_ascii_lowercase()).or_default().extend(patterns);
            }
        }
        for (into, texts) in [(&mut self.scripts, &listed.scripts), (&mut self.markup, &listed.markup)] {
            for text in texts {
                let (product, pattern) = parse(text)?;
                let literal = text.split('{').next().unwrap_or_default();
                if pattern.is_anchored() || literal.len() < SHORTEST_LITERAL {
                    return Err(refused(text));
                }
                into.push(product, pattern);
            }
        }
        for cookie in listed.cookies {
            match cookie.strip_suffix('*') {
                Some(prefix) => self.cookie_prefixes.push((prefix.to_owned(), number)),
                None => self.cookies.entry(cookie).or_default().push(number),
            }
        }
        let (matches, differs) = (listed.matches, listed.differs);
        self.products.push(Product { name, category, implies: Vec::new(), matches, differs });
        Ok(())
    }

    /// Number of products.
    #[must_use]
    pub fn len(&self) -> usize {
        self.products.len()
    }

    /// Whether there is no product.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.products.is_empty()
    }

    /// Each product with the examples that it matches and those that it does not.
    pub fn examples(&self) -> impl Iterator<Item = (&str, &[String], &[String])> {
        self.products
            .iter()
            .map(|product| (product.name.as_str(), product.matches.as_slice(), product.differs.as_slice()))
    }

    pub(super) fn product(&self, number: usize) -> Option<&Product> {
        self.products.get(number)
    }

    pub(super) const fn scripts(&self) -> &Searched {
        &self.scripts
    }

    pub(super) const fn markup(&self) -> &Searched {
        &self.markup
    }

    /// Calls back for every product of a cookie's name.
    pub(super) fn match_cookie(&self, name: &str, mut found: impl FnMut(usize)) {
        self.cookies.get(name).into_iter().flatten().for_each(|product| found(*product));
        let prefixes = self.cookie_prefixes.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str()));
        prefixes.for_each(|(_, product)| found(*product));
    }

    /// Calls back for every product of a header, whose name is in lower case.
    pub(super) fn match_header(&self, name: &str, value: &str, found: impl FnMut(usize, Option<&str>)) {
        match_named(&self.headers, name, value, found);
    }

    /// Calls back for every product of a `meta` element, whose name is in lower case.
    pub(super) fn match_metadata(&self, name: &str, value: &str, found: impl FnMut(usize, Option<&str>)) {
        match_named(&self.metadata, name, value, found);
    }
}

fn match_named(patterns: &Named, name: &str, value: &str, mut found: impl FnMut(usize, Option<&str>)) {
    for (product, pattern) in patterns.get(name).into_iter().flatten() {
        if let Some(version) = pattern.find(value) {
            found(*product, version);
        }
    }
}
