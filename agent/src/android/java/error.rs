//! Why a call into Java came to nothing, and what a host is told of it.

use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;

use crate::phone::PhoneError;

#[derive(Debug, thiserror::Error)]
pub enum JavaError {
    #[error("`{0}` is not on this phone")]
    Missing(String),
    #[error("`{call}` threw {class}: {message}")]
    Thrown {
        call: String,
        class: String,
        message: String,
    },
    #[error("`{0}` was to be called on something that is not there")]
    Null(String),
    #[error("`{0}` takes other arguments, or belongs to another class")]
    Arguments(String),
    /// Everything was called as it should be, and the phone did not do it.
    #[error("`{call}` did nothing: {why}")]
    Refused {
        call: &'static str,
        why: &'static str,
    },
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
