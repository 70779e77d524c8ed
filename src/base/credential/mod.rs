//! What looks like a secret in a piece of text.
