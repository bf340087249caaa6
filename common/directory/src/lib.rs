//! Organizations, API keys and sources: who may send what, and where it belongs.
