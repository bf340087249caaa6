//! Messages after the vendors' documentation.
