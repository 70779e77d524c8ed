//! The JSON Schemas (draft 2020-12, closed) of every document, embedded in the binary.
