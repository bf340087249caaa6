//! Memory management: the allocator of every process, and its advice to the kernel.

/// Batches are received on one thread, made durable on a second and analysed on a third: an allocator
/// that frees memory across threads without a lock, and reuses it for the next batch.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Disables huge pages for this process's memory. The kernel would create them in regions of which parts were
/// freed, and fill those parts again: two thirds more resident memory, which grows as long as the process runs,
/// without saving processor time (`benches/RESULTS.md`).
pub(crate) fn without_huge_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::warn!(%error, "transparent huge pages cannot be disabled: memory use will be higher");
    }
}
