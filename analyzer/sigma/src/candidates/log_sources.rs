//! From an event's log source to the rules that are for it, without comparing it with each of theirs: for
//! each of the three dimensions the routes that accept a value are a set, and the sets are intersected.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::event::LogSource;
use crate::rule::RuleLogSource;
use crate::taxonomy;

/// The different log sources that rules state; each is a route, by its index.
#[derive(Clone, Debug, Default)]
pub(super) struct LogSources {
    known: HashMap<[Option<String>; 3], usize>,
    dimensions: [Dimension; 3],
    /// The set of all routes.
    all: Vec<u64>,
}

/// Routes by the values that they accept in one dimension.
#[derive(Clone, Debug, Default)]
struct Dimension {
    /// Those that state nothing: they accept every value.
    silent: Vec<u64>,
    /// Those that accept events without a value.
    unstated: Vec<u64>,
    /// By a value of records: those that state it or an umbrella of it, and the silent ones.
    stating: HashMap<String, Vec<u64>, FixedState>,
}

impl LogSources {
    pub(super) fn of<'r>(sources: impl Iterator<Item = &'r RuleLogSource>) -> Self {
        let mut known = HashMap::new();
        let mut stated = Vec::new();
        for source in sources {
            let key = key(source);
            if !known.contains_key(&key) {
                known.insert(key.clone(), stated.len());
                stated.push(key);
            }
        }
        let words = stated.len().div_ceil(64);
        let dimensions = taxonomy::Dimension::ALL.map(|dimension| Dimension::of(&stated, dimension, words));
        let mut all = vec![0; words];
        (0..stated.len()).for_each(|route| set(&mut all, route));
        Self { known, dimensions, all }
    }

    /// Number of routes.
    pub(super) fn routes(&self) -> usize {
        self.known.len()
    }

    /// The route of a rule.
    pub(super) fn route(&self, source: &RuleLogSource) -> Option<usize> {
        self.known.get(&key(source)).copied()
    }

    /// Calls `each` with every route whose rules are for records of `source`: no dimension that both state
    /// differs.
    pub(super) fn each_accepting(&self, source: &LogSource<'_>, mut each: impl FnMut(usize)) {
        let stated = [&source.product, &source.category, &source.service];
        let mut sets: [&[u64]; 3] = [&[]; 3];
        for ((set, dimension), value) in sets.iter_mut().zip(&self.dimensions).zip(stated) {
            *set = value.as_deref().map_or(&dimension.unstated, |value| dimension.accepting(value));
        }
        for (word, all) in self.all.iter().enumerate() {
            let accepted = |set: &&[u64]| set.get(word).copied().unwrap_or(0);
            let mut left = sets.iter().fold(*all, |left, set| left & accepted(set));
            while left != 0 {
                each(word * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

impl Dimension {
    fn of(stated: &[[Option<String>; 3]], dimension: taxonomy::Dimension, words: usize) -> Self {
        let (mut silent, mut unstated) = (vec![0; words], vec![0; words]);
        let value = |route: &[Option<String>; 3]| route.get(dimension as usize).cloned().flatten();
        for (route, stated) in stated.iter().enumerate() {
            let own = value(stated);
            if own.is_none() {
                set(&mut silent, route);
            }
            if own.is_none_or(|own| dimension.accepts_unstated(&own)) {
                set(&mut unstated, route);
            }
        }
        let mut stating: HashMap<String, Vec<u64>, FixedState> = HashMap::default();
        for (route, stated) in stated.iter().enumerate() {
            let Some(value) = value(stated) else { continue };
            let members = dimension.members(&value).iter().map(|member| (*member).to_owned());
            for accepted in members.chain([value.clone()]) {
                set(stating.entry(accepted).or_insert_with(|| silent.clone()), route);
            }
        }
        Self { silent, unstated, stating }
    }

    fn accepting(&self, value: &str) -> &[u64] {
        self.stating.get(lowered(value).as_ref()).unwrap_or(&self.silent)
    }
}

fn set(words: &mut [u64], bit: usize) {
    if let Some(word) = words.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

fn key(source: &RuleLogSource) -> [Option<String>; 3] {
    [&source.product, &source.category, &source.service]
        .map(|value| value.as_ref().map(|value| value.to_ascii_lowercase()))
}

fn lowered(value: &str) -> Cow<'_, str> {
    if value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(value.to_ascii_lowercase())
    } else {
        Cow::Borrowed(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_those_whose_log_source_accepts_the_event() {
        let names = [None, Some("linux"), Some("Windows"), Some("AI_agent")];
        let mut rules = Vec::new();
        for product in names {
            for category in [None, Some("webserver"), Some("registry_set"), Some("Registry_Event")] {
                for service in [None, Some("sshd"), Some("security"), Some("auth"), Some("syslog")] {
                    let text = |value: Option<&str>| value.map(ToOwned::to_owned);
                    let (product, category, service) = (text(product), text(category), text(service));
                    rules.push(RuleLogSource { product, category, service, ..RuleLogSource::default() });
                }
            }
        }
        let sources = LogSources::of(rules.iter());
        assert_eq!(sources.routes(), rules.len());
        for product in [None, Some("linux"), Some("WINDOWS"), Some("macos"), Some("ai_agent")] {
            for category in
                [None, Some("webserver"), Some("registry_set"), Some("registry_add"), Some("other")]
            {
                for service in [None, Some("sshd"), Some("SUDO"), Some("cron"), Some("other")] {
                    let event = LogSource {
                        product: product.map(Cow::Borrowed),
                        category: category.map(Cow::Borrowed),
                        service: service.map(Cow::Borrowed),
                    };
                    let mut found = Vec::new();
                    sources.each_accepting(&event, |route| found.push(route));
                    let expected: Vec<usize> = rules
                        .iter()
                        .filter(|rule| rule.accepts(&event))
                        .filter_map(|rule| sources.route(rule))
                        .collect();
                    assert_eq!(found, expected, "{event:?}");
                }
            }
        }
    }
}
