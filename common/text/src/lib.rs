//! Text as classifiers read it. Pure.
