//! Why a journal could not be read or written. What is kept in one is the business of those who explore and reduce.

#[derive(Debug, thiserror::Error)]
#[error("could not {what}")]
pub struct JournalError {
    pub what: String,
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
