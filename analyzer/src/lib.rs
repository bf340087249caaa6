//! Durable log in, incidents out: normalize, detect, qualify, fold, commit.
