//! The error of journals. Their contents belong to exploration and reduction.

/// A journal could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("could not {what}")]
pub struct JournalError {
    /// The operation that failed, as a verb: `write a step to the store`.
    pub what: String,
    /// The cause.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
