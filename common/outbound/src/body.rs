//! Reading the body of a reply: within its cap and the budget of the call, inflated where the call asks for it.

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::budget::Budget;
use crate::inflate::{Full, Inflater, Room, Stop};
use crate::request::{Caps, Coding, Reading, SendError};

/// Bytes that are inflated before other tasks have a turn: some 8 MiB come of them at most.
const TURN_BYTES: usize = 8 * 1_024;
/// Bytes as sent that a coded body may have beyond its cap: a coding adds less to a body that it cannot shorten.
const CODING_BYTES: usize = 4 * 1_024;

/// Sink to which a body is written instead of into memory.
pub(crate) type Sink<'a> = Option<&'a mut (dyn AsyncWrite + Send + Unpin)>;

/// Part of a body that was read.
pub(crate) struct BodyReader<'a, 's> {
    room: Room,
    is_whole: bool,
    coding: Coding,
    budget: Option<&'a Budget>,
    sent: usize,
    sink: Sink<'s>,
}

impl<'a, 's> BodyReader<'a, 's> {
    pub(crate) fn new(caps: &Caps, budget: Option<&'a Budget>, sink: Sink<'s>) -> Self {
        let (room, is_whole) = (Room::new(caps.body_bytes), caps.reading == Reading::Whole);
        Self { room, is_whole, coding: caps.coding, budget, sent: 0, sink }
    }

    /// The bytes read, except those written to the sink.
    pub(crate) fn into_body(mut self) -> Bytes {
        self.room.pass().freeze()
    }

    /// Reads a body as far as it is wanted. The rest is not read, and its connection not used again: returns whether there
    /// is none.
    pub(crate) async fn read(&mut self, headers: &HeaderMap, incoming: Incoming) -> Result<bool, SendError> {
        let inflater = match self.coding {
            Coding::AsSent => None,
            Coding::Inflated => Inflater::for_headers(headers)?,
        };
        match inflater {
            None => self.read_plain(incoming).await,
            Some(inflater) => self.read_coded(inflater, incoming).await,
        }
    }

    async fn read_plain(&mut self, mut incoming: Incoming) -> Result<bool, SendError> {
        let announced = incoming.size_hint().lower();
        if self.is_whole && announced > self.room.most() as u64 {
            return Err(self.too_long(announced));
        }
        while (self.is_whole || self.room.used() < self.room.most()) && !incoming.is_end_stream() {
            let Some(data) = self.next(&mut incoming).await? else { return Ok(true) };
            let found = self.room.used() + data.len();
            match self.room.take(&data) {
                Err(Full) if self.is_whole => return Err(self.too_long(found as u64)),
                Ok(()) | Err(Full) => self.write().await?,
            }
        }
        Ok(incoming.is_end_stream())
    }

    async fn read_coded(
        &mut self,
        mut inflater: Inflater,
        mut incoming: Incoming,
    ) -> Result<bool, SendError> {
        let most = self.room.most();
        let most_sent = most.saturating_add(most / 64).saturating_add(CODING_BYTES);
        while !incoming.is_end_stream() {
            let Some(data) = self.next(&mut incoming).await? else { break };
            if self.sent > most_sent {
                return if self.is_whole { Err(self.too_long(self.sent as u64)) } else { Ok(false) };
            }
            for turn in data.chunks(TURN_BYTES) {
                let pushed = inflater.push(turn, &mut self.room);
                if self.is_whole && matches!(pushed, Err(Stop::Full)) {
                    return Err(self.too_long(most as u64 + 1));
                }
                self.write().await?;
                match pushed {
                    Ok(()) => tokio::task::yield_now().await,
                    Err(Stop::Full) => return Ok(false),
                    Err(Stop::Damaged(cause)) => return Err(SendError::Inflate { cause }),
                }
            }
        }
        if inflater.is_complete() {
            return Ok(true);
        }
        Err(SendError::Inflate { cause: "it breaks off".to_owned() })
    }

    /// The next bytes as sent, on the account of the budget.
    async fn next(&mut self, incoming: &mut Incoming) -> Result<Option<Bytes>, SendError> {
        let Some(frame) = incoming.frame().await else { return Ok(None) };
        let frame = frame.map_err(|error| SendError::Broken(error.into()))?;
        // Trailers are read and say nothing.
        let data = frame.into_data().unwrap_or_default();
        self.sent = self.sent.saturating_add(data.len());
        if let Some(budget) = self.budget {
            budget.take_bytes(data.len())?;
        }
        Ok(Some(data))
    }

    /// Writes what was read, if it is not for memory.
    async fn write(&mut self) -> Result<(), SendError> {
        let Some(sink) = &mut self.sink else { return Ok(()) };
        sink.write_all(&self.room.pass()).await.map_err(SendError::Write)
    }

    fn too_long(&self, found: u64) -> SendError {
        SendError::Body { most: self.room.most(), found }
    }
}
