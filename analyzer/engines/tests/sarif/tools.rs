//! Output of public tools.
