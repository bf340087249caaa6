//! Threads for blocking work: bounds of the queue, order, panics, and callers that go away.

use super::*;

const LIMITS: Limits = Limits { waiting: 2, patience: Duration::from_secs(5) };

/// Two threads, both busy until the sender is dropped.
async fn busy() -> (Arc<Threads<u32>>, SyncSender<()>, Vec<tokio::task::JoinHandle<()>>) {
    let threads = Arc::new(Threads::start("test", vec![1, 2], LIMITS).unwrap());
    let (release, held) = sync_channel::<()>(0);
    let (began, begun) = sync_channel(2);
    let held = Arc::new(Mutex::new(held));
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let (threads, held, began) = (Arc::clone(&threads), Arc::clone(&held), began.clone());
        #[expect(clippy::disallowed_methods, reason = "awaited by the test")]
        tasks.push(tokio::spawn(async move {
            let work = move |_: &mut u32| {
                began.send(()).unwrap();
                // An error once the other end is dropped.
                let _ = held.lock().unwrap().recv();
            };
            threads.run(work).await.unwrap();
        }));
        tokio::task::yield_now().await;
        begun.recv().unwrap();
    }
    (threads, release, tasks)
}

#[tokio::test]
async fn each_thread_owns_a_state_and_keeps_it() {
    let threads = Threads::start("test", vec![0_u32], LIMITS).unwrap();
    for expected in 1..=3 {
        let counted = threads.run(|count| {
            *count += 1;
            *count
        });
        assert_eq!(counted.await, Ok(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn callers_wait_in_a_bounded_queue_for_a_bounded_time() {
    let (threads, release, tasks) = busy().await;
    let (first, second, third) =
        tokio::join!(threads.run(|state| *state), threads.run(|state| *state), threads.run(|state| *state));
    let late = Err(ThreadsError::Busy { patience: LIMITS.patience });
    assert_eq!((first, second, third), (late, late, Err(ThreadsError::Full { limit: LIMITS.waiting })));
    drop(release);
    for task in tasks {
        task.await.unwrap();
    }
    assert!(threads.run(|state| *state).await.is_ok());
}

#[tokio::test]
async fn work_that_panics_is_told_and_the_thread_goes_on() {
    let threads = Threads::start("test", vec![7_u32], LIMITS).unwrap();
    assert_eq!(threads.run(|_| -> u32 { panic!("meant") }).await, Err(ThreadsError::Broken));
    assert_eq!(threads.run(|state| *state).await, Ok(7));
}

#[tokio::test]
async fn dropping_it_waits_for_work_whose_caller_went_away() {
    let (threads, release, tasks) = busy().await;
    for task in tasks {
        task.abort();
        let _ = task.await;
    }
    drop(release);
    drop(threads);
}
