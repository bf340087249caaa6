//! The walk over the groups of a batch: which records there are, in order, and of which resource and scope each is.

use super::Record;
use super::members;
use super::wire::{Fields, Wire};

// Field numbers of opentelemetry/proto/{collector/logs,logs}/v1.
pub(super) const REQUEST_RESOURCE_LOGS: u32 = 1;
pub(super) const GROUP_OWNER: u32 = 1;
pub(super) const GROUP_MEMBERS: u32 = 2;

/// Members that are taken out of the envelopes of one batch, as many as a batch may hold records.
/// A sender of many more empty ones must not make memory grow; an envelope that does not fit any more
/// stays one record.
pub(super) const MOST_MEMBERS: usize = 10_000;
/// Bytes that a record has at least, mostly: room is made for as many.
const USUAL_BYTES: usize = 512;

/// The records of `payload`, in order. A record whose body is an envelope (`{"Records": […]}`) stands
/// for the records in it.
#[must_use]
pub fn records(payload: &[u8]) -> std::vec::IntoIter<Record<'_>> {
    let mut walk = Walk { records: Vec::with_capacity(payload.len() / USUAL_BYTES), room: MOST_MEMBERS };
    let mut groups = Fields::new(payload);
    while let Some(group) = groups.next_message(REQUEST_RESOURCE_LOGS) {
        walk.resource_group(group);
    }
    walk.records.into_iter()
}

struct Walk<'a> {
    records: Vec<Record<'a>>,
    room: usize,
}

impl<'a> Walk<'a> {
    fn resource_group(&mut self, group: &'a [u8]) {
        let (first, mut resource) = (self.records.len(), &group[..0]);
        let mut fields = Fields::new(group);
        while let Some(part) = next_part(&mut fields) {
            match part {
                Part::Owner(bytes) => resource = bytes,
                Part::Member(group) => self.scope_group(group, resource),
            }
        }
        self.correct(first, |record| &mut record.resource, resource);
    }

    fn scope_group(&mut self, group: &'a [u8], resource: &'a [u8]) {
        let (first, mut scope) = (self.records.len(), &group[..0]);
        let mut fields = Fields::new(group);
        while let Some(part) = next_part(&mut fields) {
            match part {
                Part::Owner(bytes) => scope = bytes,
                Part::Member(message) => self.record(message, resource, scope),
            }
        }
        self.correct(first, |record| &mut record.scope, scope);
    }

    /// The owner of a group may follow its members on the wire, though no sender does so. Where it is written
    /// twice the last one counts: no sender splits it.
    fn correct(
        &mut self,
        first: usize,
        owner: impl for<'r> Fn(&'r mut Record<'a>) -> &'r mut &'a [u8],
        last: &'a [u8],
    ) {
        let members = self.records.get_mut(first..).unwrap_or_default();
        if members.first_mut().is_some_and(|member| !std::ptr::eq(*owner(member), last)) {
            members.iter_mut().for_each(|member| *owner(member) = last);
        }
    }

    fn record(&mut self, message: &'a [u8], resource: &'a [u8], scope: &'a [u8]) {
        let record = Record::read(message, self.next_index(), resource, scope);
        let members = record.body.and_then(members::of);
        let Some(members) = members.filter(|members| (1..=self.room).contains(&members.clone().count()))
        else {
            self.records.push(record);
            return;
        };
        for member in members {
            self.room -= 1;
            let index = self.next_index();
            self.records.push(Record { index, ..record.with_member(member) });
        }
    }

    fn next_index(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }
}

/// Part of a group.
enum Part<'a> {
    Owner(&'a [u8]),
    Member(&'a [u8]),
}

#[inline]
fn next_part<'a>(fields: &mut Fields<'a>) -> Option<Part<'a>> {
    if let Some(member) = fields.leading_message(GROUP_MEMBERS) {
        return Some(Part::Member(member));
    }
    fields.find_map(|field| match field {
        (GROUP_OWNER, Wire::Bytes(bytes)) => Some(Part::Owner(bytes)),
        (GROUP_MEMBERS, Wire::Bytes(bytes)) => Some(Part::Member(bytes)),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
