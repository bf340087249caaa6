//! Answers to senders. A group of them is woken with one call: the commit thread answers the first,
//! and the task that receives that answer, or drops it, passes on those to the others. Waking a task
//! of the runtime from another thread costs microseconds; from a task next to it, almost nothing.

use common::partition::Offset;
use tokio::sync::oneshot;

use crate::AppendError;

/// Outcome of one batch.
pub(super) type Outcome = Result<Offset, AppendError>;

/// Sending half of the answer to one append.
pub(super) type Sender = oneshot::Sender<Answer>;

/// Receiving half of the answer to one append.
pub(super) struct Receiver(oneshot::Receiver<Answer>);

/// An answer on its way, with those to the other senders of the group.
pub(super) struct Answer {
    outcome: Outcome,
    _others: Others,
}

/// Answers to be passed on when this is dropped.
struct Others(Vec<(Sender, Outcome)>);

pub(super) fn channel() -> (Sender, Receiver) {
    let (sender, receiver) = oneshot::channel();
    (sender, Receiver(receiver))
}

impl Receiver {
    /// Waits for the outcome; `None` when there will be none.
    pub(super) async fn outcome(self) -> Option<Outcome> {
        self.0.await.ok().map(|answer| answer.outcome)
    }

    /// The outcome, if it is there.
    #[cfg(test)]
    pub(super) fn try_outcome(&mut self) -> Result<Outcome, oneshot::error::TryRecvError> {
        self.0.try_recv().map(|answer| answer.outcome)
    }
}

impl Answer {
    fn alone(outcome: Outcome) -> Self {
        Self { outcome, _others: Others(Vec::new()) }
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for (sender, outcome) in self.0.drain(..) {
            // A sender that no longer listens has given up, which the contract of the log allows.
            let _ = sender.send(Answer::alone(outcome));
        }
    }
}

/// Answers one sender.
pub(super) fn send(sender: Sender, outcome: Outcome) {
    let _ = sender.send(Answer::alone(outcome));
}

/// Answers a group of senders.
pub(super) fn send_all(outcomes: impl IntoIterator<Item = (Sender, Outcome)>) {
    let mut outcomes = outcomes.into_iter();
    let Some((first, outcome)) = outcomes.next() else { return };
    // If the first no longer listens, dropping the answer here passes the others on.
    let _ = first.send(Answer { outcome, _others: Others(outcomes.collect()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_told_whoever_has_given_up() {
        for given_up in 0..8_u32 {
            let (senders, receivers): (Vec<_>, Vec<_>) = (0..3).map(|_| channel()).unzip();
            let receivers: Vec<_> =
                receivers.into_iter().zip(0..).filter(|(_, index)| given_up & (1 << index) == 0).collect();
            send_all(senders.into_iter().zip((1..).map(|offset| Ok(Offset(offset)))));
            for (mut receiver, index) in receivers {
                assert_eq!(receiver.try_outcome(), Ok(Ok(Offset(index + 1))), "without {given_up:03b}");
            }
        }
    }

    #[test]
    fn an_answer_that_is_dropped_unread_passes_the_others_on() {
        let ((first, unread), (second, mut read)) = (channel(), channel());
        send_all([(first, Ok(Offset(1))), (second, Ok(Offset(2)))]);
        assert!(read.try_outcome().is_err());
        drop(unread);
        assert_eq!(read.try_outcome(), Ok(Ok(Offset(2))));
    }

    #[tokio::test]
    async fn nobody_waits_for_a_sender_that_is_gone() {
        let (sender, receiver) = channel();
        drop(sender);
        assert_eq!(receiver.outcome().await, None);
    }
}
