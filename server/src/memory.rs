//! Where memory comes from: the allocator of every process, and what the kernel is told about it.

/// Batches are received on one thread, made durable on a second and analysed on a third: an allocator
/// that gives memory back across threads without a lock, and keeps what was freed for the next batch.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Has the kernel make no huge pages of this process's memory. It makes them of regions of which parts were given
/// back, and fills those parts again: two thirds more resident memory, which grows for as long as the process runs,
/// and no less processor time for it (`benches/RESULTS.md`).
pub(crate) fn without_huge_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::warn!(%error, "transparent huge pages cannot be disabled: memory use will be higher");
    }
}
