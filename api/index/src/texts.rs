//! The texts of an organization's resources, each kept once: titles of findings repeat thousands of times, so that a search reads
//! the distinct ones only.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::text::{BETWEEN, Needle};

/// Texts in one allocation. A change moves the memory of one run, so that larger runs cost more to change and search no faster.
const RUN: usize = 1024;
/// Bits of a word of [`Containing`].
const BITS: usize = u64::BITS as usize;
/// Memory of a text beside its bytes: end, uses, and its number in the table with the spare room of all three.
const TEXT_BYTES: usize = 32;

/// Distinct texts by number. A number stays as long as a resource has its text, and is given again afterwards.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    runs: Vec<Run>,
    /// Resources that have each text.
    uses: Vec<u32>,
    /// Numbers whose text no resource has any more.
    free: Vec<u32>,
    numbers: HashTable<u32>,
    hashing: RandomState,
    bytes: usize,
}

/// Texts one after the other, so that a search reads memory in order.
#[derive(Debug, Default)]
struct Run {
    /// Each text, followed by [`BETWEEN`].
    all: Vec<u8>,
    /// The end of each text in `all`, separator included.
    ends: Vec<u32>,
}

/// The texts that contain a searched one, a bit for each: texts are asked for in any order, and the bits of a million fit into a
/// cache of the processor. A run is searched when one of its texts is asked for.
pub(crate) struct Containing<'t> {
    texts: &'t Texts,
    needle: &'t Needle,
    is_searched: Vec<bool>,
    bits: Vec<u64>,
}

impl Texts {
    /// The number of the text of one more resource.
    pub(crate) fn take(&mut self, text: &str) -> u32 {
        let (text, Self { runs, hashing, numbers, .. }) = (text.as_bytes(), &*self);
        let hash = hashing.hash_one(text);
        let known = numbers.find(hash, |number| text_of(runs, *number) == text).copied();
        let number = known.unwrap_or_else(|| self.keep(text, hash));
        if let Some(uses) = self.uses.get_mut(number as usize) {
            *uses += 1;
        }
        number
    }

    /// One resource less has a text.
    pub(crate) fn release(&mut self, number: u32) {
        let Some(uses) = self.uses.get_mut(number as usize) else { return };
        *uses -= 1;
        if *uses > 0 {
            return;
        }
        let text = text_of(&self.runs, number);
        self.bytes -= text.len() + TEXT_BYTES;
        let hash = self.hashing.hash_one(text);
        if let Ok(entry) = self.numbers.find_entry(hash, |other| *other == number) {
            entry.remove();
        }
        self.write(number, b"");
        self.free.push(number);
    }

    /// Memory of all texts, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The texts that contain a searched one.
    pub(crate) fn search<'t>(&'t self, needle: &'t Needle) -> Containing<'t> {
        let runs = self.runs.len();
        Containing { texts: self, needle, is_searched: vec![false; runs], bits: vec![0; runs * RUN / BITS] }
    }

    /// Gives a new text a number.
    fn keep(&mut self, text: &[u8], hash: u64) -> u32 {
        // Four billion distinct texts fit into no budget; were it so, the last number is shared.
        let next = u32::try_from(self.uses.len()).unwrap_or(u32::MAX);
        let number = self.free.pop().unwrap_or_else(|| {
            self.uses.push(0);
            next
        });
        self.write(number, text);
        self.bytes += text.len() + TEXT_BYTES;
        let Self { runs, hashing, numbers, .. } = self;
        numbers.insert_unique(hash, number, |other| hashing.hash_one(text_of(runs, *other)));
        number
    }

    fn write(&mut self, number: u32, text: &[u8]) {
        let (run, at) = place(number);
        if self.runs.len() <= run {
            self.runs.push(Run::default());
        }
        if let Some(run) = self.runs.get_mut(run) {
            run.write(at, text);
        }
    }
}

impl Containing<'_> {
    /// Whether the text of a number does.
    pub(crate) fn has(&mut self, number: u32) -> bool {
        let (run, at) = (number as usize / RUN, number as usize);
        if let Some(is_searched) = self.is_searched.get_mut(run).filter(|is_searched| !**is_searched) {
            *is_searched = true;
            let bits = self.bits.chunks_mut(RUN / BITS).nth(run);
            if let Some((run, bits)) = self.texts.runs.get(run).zip(bits) {
                run.search(self.needle, bits);
            }
        }
        self.bits.get(at / BITS).is_some_and(|bits| bits >> (at % BITS) & 1 == 1)
    }
}

/// The run of a number, and its place there.
fn place(number: u32) -> (usize, usize) {
    let number = number as usize;
    (number / RUN, number % RUN)
}

fn text_of(runs: &[Run], number: u32) -> &[u8] {
    let (run, at) = place(number);
    runs.get(run).map_or(b"", |run| run.text(at))
}

impl Run {
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize)
    }

    fn text(&self, at: usize) -> &[u8] {
        let end = self.ends.get(at).map_or(0, |end| *end as usize);
        self.all.get(self.start(at)..end.saturating_sub(1)).unwrap_or_default()
    }

    /// Writes the text at a place: over another one, or behind the last.
    fn write(&mut self, at: usize, text: &[u8]) {
        let start = self.start(at);
        if at == self.ends.len() {
            self.all.push(BETWEEN as u8);
            self.ends.push(length(start + 1));
        }
        let before = self.text(at).len();
        drop(self.all.splice(start..start + before, text.iter().copied()));
        self.ends.iter_mut().skip(at).for_each(|end| *end = *end - length(before) + length(text.len()));
        if self.ends.len() == RUN && before == 0 {
            // A full run changes rarely; its spare room would be up to half of it.
            self.all.shrink_to_fit();
        }
    }

    /// Sets the bits of the texts that contain a searched one.
    fn search(&self, needle: &Needle, bits: &mut [u64]) {
        if needle.has_separator() {
            return;
        }
        let mut from = 0;
        let mut ends = self.ends.iter().enumerate();
        while let Some(found) = self.all.get(from..).and_then(|rest| needle.find(rest)) {
            let at = from + found;
            let Some((text, end)) = ends.find(|(_, end)| **end as usize > at) else { break };
            if let Some(bits) = bits.get_mut(text / BITS) {
                *bits |= 1 << (text % BITS);
            }
            from = *end as usize;
        }
    }
}

/// A length within a run: a thousand texts, none larger than a commit, which is at most a mebibyte.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::text::haystack;
    use proptest::prelude::*;

    fn is_in_haystack(needle: &str, haystack: &str) -> bool {
        let mut texts = Texts::default();
        let number = texts.take(haystack);
        texts.search(&Needle::new(needle)).has(number)
    }

    #[test]
    fn case_does_not_matter_and_nothing_is_a_wildcard() {
        let haystack = haystack(&["100% of_LOGINS failed: ÄÖÜ ΟΔΟΣ", "203.0.113.9"]);
        for found in ["100%", "of_logins", "äöü", "οδοσ", "ΟΔΟΣ", "Σ", "203.0.113"] {
            assert!(is_in_haystack(found, &haystack), "{found}");
        }
        for missing in ["1%f", "o_logins", "10.", "ΟΔΟΣ203", "ΟΔΟΣ\u{0}203"] {
            assert!(!is_in_haystack(missing, &haystack), "{missing}");
        }
    }

    #[test]
    fn a_text_of_many_resources_is_kept_once_and_its_memory_is_returned() {
        let mut texts = Texts::default();
        let text = |number: usize| format!("text {}", number % 2_500);
        let numbers: Vec<u32> = (0..10_000).map(|number| texts.take(&text(number))).collect();
        assert_eq!(numbers[..2_500], numbers[7_500..]);
        assert_eq!((texts.runs.len(), texts.uses.len()), (3, 2_500));
        let full = texts.bytes();
        numbers[2_500..].iter().for_each(|number| texts.release(*number));
        assert_eq!(texts.bytes(), full, "each is used once more");
        numbers[..2_500].iter().for_each(|number| texts.release(*number));
        assert_eq!(texts.bytes(), 0);
        let number = texts.take("another");
        assert_eq!((texts.uses.len(), texts.search(&Needle::new("OTHER")).has(number)), (2_500, true));
    }

    proptest! {
        #[test]
        fn any_part_of_a_field_is_found(before in "\\PC{0,8}", part in "\\PC{1,8}", after in "\\PC{0,8}", other in "\\PC{0,8}") {
            let field = format!("{before}{part}{after}");
            let other_case = part.to_uppercase().to_lowercase();
            let same_fold = haystack(&[&other_case]) == haystack(&[&part]);
            prop_assert!(is_in_haystack(&part, &haystack(&[&field, &other])));
            prop_assert!(is_in_haystack(&part, &haystack(&[&other, &field])));
            prop_assert!(!same_fold || is_in_haystack(&other_case, &haystack(&[&field, &other])));
        }

        #[test]
        fn a_text_in_neither_field_is_not_found(title in "[a-c]{0,6}", entity in "[a-c]{0,6}", q in "[a-c]{1,4}") {
            let expected = title.contains(&q) || entity.contains(&q);
            prop_assert_eq!(is_in_haystack(&q, &haystack(&[&title, &entity])), expected);
        }

        #[test]
        fn texts_are_searched_as_each_text_alone(
            steps in proptest::collection::vec((any::<prop::sample::Index>(), proptest::option::of("[ab]{0,4}")), 0..60),
            q in "[ab]{1,3}",
        ) {
            let (mut model, mut texts) = (Vec::<(u32, String)>::new(), Texts::default());
            for (at, text) in steps {
                match text {
                    Some(text) => model.push((texts.take(&text), text)),
                    None if model.is_empty() => {}
                    None => texts.release(model.swap_remove(at.index(model.len())).0),
                }
                let distinct: BTreeMap<&str, u32> = model.iter().map(|(number, text)| (text.as_str(), *number)).collect();
                prop_assert_eq!(texts.numbers.len(), distinct.len());
                let bytes: usize = distinct.keys().map(|text| text.len() + TEXT_BYTES).sum();
                prop_assert_eq!(texts.bytes(), bytes);
                let needle = Needle::new(&q);
                let mut containing = texts.search(&needle);
                for (number, text) in &model {
                    prop_assert_eq!(distinct[text.as_str()], *number);
                    prop_assert_eq!(containing.has(*number), text.contains(&q));
                }
            }
        }
    }
}
