//! Classification of text for language models. Pure.
