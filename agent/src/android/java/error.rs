//! Errors of calls into Java, and the errors that the host gets for them.

use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;

use crate::phone::PhoneError;

/// Why a call into Java failed.
#[derive(Debug, thiserror::Error)]
pub enum JavaError {
    /// This phone has no form of the row.
    #[error("`{0}` is not on this phone")]
    Missing(String),
    /// The call threw an exception.
    #[error("`{call}` threw {class}: {message}")]
    Thrown {
        /// Class and member.
        call: String,
        /// The exception's class.
        class: String,
        /// The exception's message.
        message: String,
    },
    /// The call's object is null.
    #[error("`{0}` was called on null")]
    Null(String),
    /// The arguments or the object are of another type.
    #[error("`{0}` takes other arguments, or belongs to another class")]
    Arguments(String),
    /// The call returned without doing its work.
    #[error("`{call}` did nothing: {why}")]
    Refused {
        /// The call.
        call: &'static str,
        /// The cause, and what to do.
        why: &'static str,
    },
    /// The VM failed.
    #[error("the Java VM failed")]
    Vm(#[from] jni::errors::Error),
}

impl From<JavaError> for PhoneError {
    fn from(error: JavaError) -> Self {
        match error {
            JavaError::Thrown { ref class, .. } if class == "android.os.DeadSystemException" => {
                Interruption::PhoneLost {
                    why: error.to_string(),
                }
                .into()
            }
            other => RequestFailure::from(other).into(),
        }
    }
}

impl From<JavaError> for RequestFailure {
    fn from(error: JavaError) -> Self {
        match error {
            JavaError::Missing(what) => {
                RequestFailure::Unsupported(format!("use `{what}`: it has no such method"))
            }
            JavaError::Thrown { class, message, .. }
                if class == "java.lang.UnsupportedOperationException" =>
            {
                RequestFailure::Unsupported(message)
            }
            other => RequestFailure::Phone(with_cause(&other)),
        }
    }
}

fn with_cause(error: &JavaError) -> String {
    match error {
        JavaError::Vm(cause) => format!("{error}: {cause}"),
        other => other.to_string(),
    }
}
