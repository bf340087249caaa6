//! A value behind a lock, shared by its clones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The value. A holder of the lock that panics does not make it unusable: the run goes on, and reports the panic.
#[derive(Debug, Default)]
pub struct Locked<T>(Arc<Mutex<T>>);

impl<T> Locked<T> {
    pub fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    /// The value, until the guard is dropped.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Locked<T> {
    /// The same value.
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
