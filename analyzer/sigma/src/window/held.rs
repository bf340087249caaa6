//! An event as a window holds it, and its serialized form.

use serde::{Deserialize, Serialize};

use super::Joined;
use crate::bounds::in_thousandths;

/// An event in a window. Written without field names: a window may hold thousands.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    from = "HeldRow<I, N>",
    into = "HeldRow<I, N>",
    bound(serialize = "I: Clone + Serialize, N: Clone + Serialize")
)]
pub(super) struct Held<I, N> {
    pub(super) time: i64,
    pub(super) id: I,
    pub(super) step: u16,
    pub(super) value: u64,
    /// The log's time when it arrived; 0 where no window is closed.
    pub(super) received: i64,
    pub(super) joined: bool,
    pub(super) point: bool,
    pub(super) note: Option<N>,
}

/// [`Held`] as it is written: time, id, step, value, joined (1) and point (2), note, and when
/// it was received.
#[derive(Serialize, Deserialize)]
struct HeldRow<I, N>(i64, I, u16, u64, u8, Option<N>, i64);

impl<I: Copy, N> Held<I, N> {
    /// The event as a member, with the caller's data.
    pub(super) fn member(&self, note: Option<N>) -> Joined<I, N> {
        Joined { time: self.time, id: self.id, note }
    }

    /// The same event with other data in place of the caller's.
    pub(super) fn with_note<M>(&self, other: &mut impl FnMut(&N) -> Option<M>) -> Held<I, M> {
        let &Self { time, id, step, value, received, joined, point, .. } = self;
        let note = self.note.as_ref().and_then(other);
        Held { time, id, step, value, received, joined, point, note }
    }
}

impl<I, N> Held<I, N> {
    /// Its value as thousandths of a number.
    pub(super) fn number(&self) -> i128 {
        in_thousandths(f64::from_bits(self.value))
    }

    /// Its contribution to a sum, thousandths: nothing below zero.
    pub(super) fn amount(&self) -> i128 {
        self.number().max(0)
    }
}

impl<I: Copy + Ord, N> Held<I, N> {
    /// Events of the same moment are in the order of the steps they fulfil, so that they count as being in order.
    pub(super) fn order(&self) -> (i64, u16, I) {
        (self.time, self.step, self.id)
    }
}

impl<I, N> From<Held<I, N>> for HeldRow<I, N> {
    fn from(held: Held<I, N>) -> Self {
        let marks = u8::from(held.joined) | u8::from(held.point) << 1;
        Self(held.time, held.id, held.step, held.value, marks, held.note, held.received)
    }
}

impl<I, N> From<HeldRow<I, N>> for Held<I, N> {
    fn from(HeldRow(time, id, step, value, marks, note, received): HeldRow<I, N>) -> Self {
        Self { time, id, step, value, received, joined: marks & 1 != 0, point: marks & 2 != 0, note }
    }
}
