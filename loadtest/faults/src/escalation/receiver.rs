//! The receiver of webhooks on loopback: it answers 204 at once, and passes on each delivery with its time
//! of arrival.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Capacity for unprocessed deliveries: a second at the highest measured rate.
const MOST_UNSEEN: usize = 1_024;
/// Largest delivery that is read: twice the limit of the specification.
const MOST_BODY_BYTES: usize = 512 * 1024;

/// A delivery.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// Time of arrival of its last byte.
    pub(crate) at: Instant,
    pub(crate) body: Bytes,
}

/// Listens, as one of the tasks; deliveries are sent to the channel.
///
/// # Errors
/// [`io::Error`] when no loopback port is free.
pub(crate) async fn listen(tasks: &mut JoinSet<()>) -> io::Result<(SocketAddr, mpsc::Receiver<Arrival>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let (arrivals, arrived) = mpsc::channel(MOST_UNSEEN);
    tasks.spawn(accept(listener, arrivals));
    Ok((address, arrived))
}

async fn accept(listener: TcpListener, arrivals: mpsc::Sender<Arrival>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = arrivals.closed() => return,
        };
        // A connection that broke before it was accepted is retried by its sender.
        let Ok((stream, _)) = accepted else { continue };
        while connections.try_join_next().is_some() {}
        let arrivals = arrivals.clone();
        let service = service_fn(move |request| take(request, arrivals.clone()));
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn take(
    request: Request<Incoming>,
    arrivals: mpsc::Sender<Arrival>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = match Limited::new(request.into_body(), MOST_BODY_BYTES).collect().await {
        Ok(body) => {
            let arrival = Arrival { at: Instant::now(), body: body.to_bytes() };
            // The receiving side is dropped when the run is over.
            let _ = arrivals.send(arrival).await;
            StatusCode::NO_CONTENT
        }
        Err(_) => StatusCode::BAD_REQUEST,
    };
    Ok(response)
}
