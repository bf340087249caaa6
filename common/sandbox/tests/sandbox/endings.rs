//! Every way in which a run ends, each with its own error, and nothing left behind.

use std::hint::black_box;
use std::io::Write;
use std::os::fd::AsFd;
use std::time::Duration;

use sandbox::{Limits, MalformedReply, OutOfSteps, Resource, Sandbox, SandboxError, SandboxTask, Steps};

use crate::{Test, block_on, one_at_a_time, run};

const LIMITS: Limits = Limits {
    memory_bytes: 512 << 20,
    cpu_seconds: 1,
    steps: 1000,
    wall: Duration::from_secs(30),
    assignment_bytes: 1 << 20,
    reply_bytes: 1 << 20,
};

const fn task(name: &'static str, run: fn(&[u8], &mut Steps) -> Result<Vec<u8>, OutOfSteps>) -> SandboxTask {
    SandboxTask { name, limits: LIMITS, run }
}

const ECHO: SandboxTask = task("echo", |assignment, _| Ok(assignment.to_vec()));
const LONG: SandboxTask = task("long", |_, _| Ok(vec![0; (1 << 20) + 1]));
const PANIC: SandboxTask = task("panic", |_, _| panic!("quoting the input"));
const ABORT: SandboxTask = task("abort", |_, _| std::process::abort());
const OVERFLOW: SandboxTask = task("overflow", |_, _| Ok(vec![descend(0)]));
const EXIT: SandboxTask = task("exit", |_, _| std::process::exit(0));
const SPIN: SandboxTask = task("spin", |_, _| {
    loop {
        black_box(0);
    }
});
const WORK: SandboxTask = task("work", |_, _| {
    // About half of the processor time that SPIN gets.
    let mut sum = 0_u64;
    for number in 0..black_box(20_000_000_u64) {
        sum = black_box(sum ^ number);
    }
    Ok(sum.to_le_bytes().to_vec())
});
const HANG: SandboxTask = task("hang", |_, _| {
    let mut byte = [0];
    // The parent sends nothing more.
    let _ = nix::unistd::read(std::io::stdin().as_fd(), &mut byte);
    Ok(Vec::new())
});
// Names of their own tell their processes from those of other tests.
const SPIN_ALONE: SandboxTask = task("spin_alone", SPIN.run);
const HANG_ALONE: SandboxTask = task("hang_alone", HANG.run);
const ALLOCATE: SandboxTask = task("allocate", |assignment, _| {
    let mebibytes = usize::from(*assignment.first().unwrap_or(&0)) * 16;
    let block = black_box(vec![1_u8; mebibytes << 20]);
    Ok(block.len().to_le_bytes().to_vec())
});
const STEP: SandboxTask = task("step", |assignment, steps| {
    for byte in assignment {
        steps.spend(u64::from(*byte))?;
    }
    Ok(b"done".to_vec())
});
const FORGE: SandboxTask = task("forge", |assignment, _| {
    // Frames of its own making, in place of the outcome.
    send(assignment);
    std::process::exit(0);
});
const CONTINUE: SandboxTask = task("continue", |_, _| {
    send(&[2, 0, 0, 0, 4, 7, 4]);
    loop {
        black_box(0);
    }
});
const CHATTER: SandboxTask = task("chatter", |_, _| {
    for _ in 0..10_000 {
        let _ = std::io::stderr().write_all(&[b'x'; 1000]);
    }
    panic!("after much text");
});

fn send(bytes: &[u8]) {
    let mut sent = 0;
    while let Ok(length @ 1..) = nix::unistd::write(std::io::stdin().as_fd(), &bytes[sent..]) {
        sent += length;
    }
}

fn descend(depth: u64) -> u8 {
    let frame = black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { descend(depth + 1).wrapping_add(frame[0] as u8) }
}

pub(crate) fn tasks() -> Vec<SandboxTask> {
    vec![
        ECHO, LONG, PANIC, ABORT, OVERFLOW, EXIT, SPIN, WORK, HANG, SPIN_ALONE, HANG_ALONE, ALLOCATE, STEP,
        FORGE, CONTINUE, CHATTER,
    ]
}

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_reply_arrives_as_sent", reply),
        ("a_reply_beyond_its_limit_is_malformed", long_reply),
        ("an_assignment_beyond_its_limit_is_not_sent", long_assignment),
        ("a_panic_a_signal_and_an_exit_are_crashes", crashes),
        ("processor_time_is_limited", cpu),
        ("memory_is_limited", memory),
        ("steps_are_limited", steps),
        ("time_is_limited", time),
        ("a_forged_reply_is_malformed", forged),
        ("a_worker_that_goes_on_after_its_reply_is_killed", trailing),
        ("messages_are_kept_within_a_bound_and_shown_by_no_error", chatter),
        ("runs_wait_for_their_turn_within_a_bound", turns),
        ("a_run_that_is_given_up_leaves_no_process", given_up),
        ("a_worker_killed_from_outside_is_not_a_crash", killed),
    ]
}

fn reply() {
    for length in [0, 1, 100_000, 1 << 20] {
        let assignment: Vec<u8> = (0..length).map(|number: u32| number as u8).collect();
        let limits = Limits { reply_bytes: 1 << 20, ..LIMITS };
        assert_eq!(run(&SandboxTask { limits, ..ECHO }, &assignment).unwrap(), assignment);
    }
}

fn long_reply() {
    let error = run(&LONG, b"").unwrap_err();
    assert!(matches!(error, SandboxError::Malformed(MalformedReply::TooLong { .. })), "{error:?}");
}

fn long_assignment() {
    let error = run(&ECHO, &vec![0; (1 << 20) + 1]).unwrap_err();
    assert!(matches!(error, SandboxError::AssignmentTooLong { limit: 1_048_576, .. }), "{error:?}");
    let unknown = SandboxTask { name: "unknown", ..ECHO };
    assert!(matches!(run(&unknown, b"").unwrap_err(), SandboxError::Crashed { .. }));
}

fn crashes() {
    for (task, expected) in [
        (PANIC, "panic"),
        // As the first process of its namespace a worker ignores SIGABRT, and ends by the trap that follows it.
        (ABORT, "SIG"),
        (OVERFLOW, "SIG"),
        (EXIT, "exit without an outcome"),
    ] {
        let error = run(&task, b"").unwrap_err();
        let SandboxError::Crashed { cause, .. } = &error else { panic!("{}: {error:?}", task.name) };
        assert!(cause.starts_with(expected), "{}: {cause}", task.name);
        assert!(!error.is_unavailable());
    }
}

fn cpu() {
    let error = run(&SPIN, b"").unwrap_err();
    assert!(matches!(error, SandboxError::OverBudget(Resource::Cpu)), "{error:?}");
    let limits = Limits { cpu_seconds: 20, ..LIMITS };
    run(&SandboxTask { limits, ..WORK }, b"").unwrap();
}

fn memory() {
    // 1,024 MiB do not fit in 512 MiB, and do in 3 GiB, of which the allocator reserves one.
    let error = run(&ALLOCATE, &[64]).unwrap_err();
    assert!(matches!(error, SandboxError::OverBudget(Resource::Memory)), "{error:?}");
    assert_eq!(run(&ALLOCATE, &[8]).unwrap(), (128_usize << 20).to_le_bytes());
    let limits = Limits { memory_bytes: 3 << 30, cpu_seconds: 10, ..LIMITS };
    let reply = run(&SandboxTask { limits, ..ALLOCATE }, &[64]).unwrap();
    assert_eq!(reply, (1024_usize << 20).to_le_bytes());
}

fn steps() {
    assert_eq!(run(&STEP, &[250; 4]).unwrap(), b"done");
    let error = run(&STEP, &[250, 250, 250, 251]).unwrap_err();
    assert!(matches!(error, SandboxError::OverBudget(Resource::Steps)), "{error:?}");
}

fn time() {
    // The clock of this runtime stands still until everybody waits, then jumps to the next deadline.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let error = runtime.block_on(one_at_a_time().run(&HANG, b"")).unwrap_err();
    assert!(matches!(error, SandboxError::OverBudget(Resource::WallClock)), "{error:?}");
    assert!(!error.is_unavailable());
}

fn forged() {
    for (bytes, expected) in [
        (&[1, 0, 0, 0, 9][..], MalformedReply::Form),
        (&[0, 0, 0, 0], MalformedReply::Form),
        (&[2, 0, 0, 0, 5, 5], MalformedReply::Form),
        (
            &[0xff, 0xff, 0xff, 0xff, 4],
            MalformedReply::TooLong { bytes: u32::MAX, limit: LIMITS.reply_bytes + 1 },
        ),
        (&[1, 0, 0, 0, 4, 4], MalformedReply::Trailing),
    ] {
        let error = run(&FORGE, bytes).unwrap_err();
        assert!(
            matches!(&error, SandboxError::Malformed(found) if *found == expected),
            "{bytes:?}: {error:?}"
        );
    }
    let error = run(&FORGE, &[100, 0, 0, 0, 4, 1, 2]).unwrap_err();
    assert!(matches!(error, SandboxError::Crashed { .. }), "a reply that is cut off: {error:?}");
}

fn trailing() {
    let error = run(&CONTINUE, b"").unwrap_err();
    assert!(matches!(error, SandboxError::Malformed(MalformedReply::Trailing)), "{error:?}");
}

fn chatter() {
    let error = run(&CHATTER, b"").unwrap_err();
    let SandboxError::Crashed { stderr, .. } = &error else { panic!("{error:?}") };
    assert_eq!(stderr.as_bytes(), [b'x'; 4096]);
    assert!(!format!("{error:?} {error}").contains("xx"));
    let error = run(&PANIC, b"").unwrap_err();
    let SandboxError::Crashed { stderr, .. } = &error else { panic!("{error:?}") };
    assert!(String::from_utf8_lossy(stderr.as_bytes()).contains("quoting the input"));
    assert!(!format!("{error:?} {error}").contains("quoting"));
}

fn turns() {
    block_on(async {
        let sandbox = Sandbox::new(sandbox::Bounds { running: 1, waiting: 1 });
        let runs = tokio::join!(sandbox.run(&ECHO, b"a"), sandbox.run(&ECHO, b"b"), sandbox.run(&ECHO, b"c"));
        assert_eq!((runs.0.unwrap(), runs.1.unwrap()), (b"a".to_vec(), b"b".to_vec()));
        let error = runs.2.unwrap_err();
        assert!(matches!(error, SandboxError::Busy) && error.is_unavailable(), "{error:?}");
        assert_eq!(sandbox.run(&ECHO, b"d").await.unwrap(), b"d");
    });
}

/// Numbers of sandboxed processes whose task has this name.
fn processes_of(task: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        if words.get(2) == Some(&task.as_bytes()) {
            found.push(id);
        }
    }
    found
}

/// Yields until `count` processes of the task exist. Bounded by the limits of the run that is polled meanwhile.
async fn until_running(task: &str, count: usize) {
    while processes_of(task).len() != count {
        tokio::task::yield_now().await;
    }
}

fn given_up() {
    block_on(async {
        let sandbox = one_at_a_time();
        tokio::select! {
            reply = sandbox.run(&HANG_ALONE, b"") => panic!("{reply:?}"),
            () = until_running("hang_alone", 2) => {}
        }
        // Its future is dropped, its place is free, and its processes end without being waited for.
        until_running("hang_alone", 0).await;
        assert_eq!(sandbox.run(&ECHO, b"next").await.unwrap(), b"next");
    });
}

fn killed() {
    block_on(async {
        let sandbox = one_at_a_time();
        let kill = async {
            until_running("spin_alone", 2).await;
            let worker = processes_of("spin_alone").into_iter().max().unwrap();
            nix::sys::signal::kill(nix::unistd::Pid::from_raw(worker), nix::sys::signal::Signal::SIGKILL)
                .unwrap();
            std::future::pending::<()>().await
        };
        let limits = Limits { cpu_seconds: 60, ..LIMITS };
        let task = SandboxTask { limits, ..SPIN_ALONE };
        tokio::select! {
            reply = sandbox.run(&task, b"") => {
                let error = reply.unwrap_err();
                assert!(matches!(error, SandboxError::Killed { .. }) && error.is_unavailable(), "{error:?}");
            }
            () = kill => {}
        }
    });
}
