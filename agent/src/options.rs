//! The options with which the host starts the agent's process.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The options of the agent's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentOptions {
    /// Name of the abstract socket that adb forwards to, or the path of one among the files.
    pub name: Option<String>,
    /// Address for UDP datagrams, on a Wi-Fi or a lab's network.
    pub udp: Option<SocketAddr>,
    /// The Android user whose apps are tested.
    pub user: i32,
    /// The Unix user that a process started as root becomes: 2000 for the shell.
    pub uid: Option<u32>,
    /// The folder for results and settings that survive the process.
    pub folder: PathBuf,
    /// Name of the abstract socket of the library in the app's process that notes methods or lines.
    pub coverage: Option<String>,
    /// A file for the list of Java names, with the form that this phone has.
    pub names: Option<PathBuf>,
}

/// An option is unknown, or its value is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an option, or its value is wrong; options are --name, --udp, --user, --uid, --folder, --coverage, --names"
)]
pub struct AgentOptionsError(String);

impl AgentOptions {
    /// Parses the arguments of the process.
    pub fn parse(arguments: &[String]) -> Result<AgentOptions, AgentOptionsError> {
        let folder = PathBuf::from("/data/local/tmp/retap");
        let mut options = AgentOptions {
            name: None,
            udp: None,
            user: 0,
            uid: None,
            folder,
            coverage: None,
            names: None,
        };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let wrong = || AgentOptionsError(option.clone());
            let value = rest.next().ok_or_else(wrong)?;
            match option.as_str() {
                "--name" => options.name = Some(value.clone()),
                "--udp" => options.udp = Some(value.parse().map_err(|_| wrong())?),
                "--user" => options.user = value.parse().map_err(|_| wrong())?,
                "--uid" => options.uid = Some(user_id(value).ok_or_else(wrong)?),
                "--folder" => options.folder = PathBuf::from(value),
                "--coverage" => options.coverage = Some(value.clone()),
                "--names" => options.names = Some(PathBuf::from(value)),
                _ => return Err(wrong()),
            }
        }
        Ok(options)
    }
}

/// A Unix user id. The highest number means "no user" to the system.
fn user_id(text: &str) -> Option<u32> {
    text.parse().ok().filter(|id| *id < u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_the_socket_the_users_and_the_folder() {
        let arguments = [
            "--name", "retap", "--user", "10", "--uid", "2000", "--folder", "/tmp/x",
        ];
        let options = AgentOptions::parse(&arguments.map(str::to_owned)).unwrap();
        assert_eq!(options.name.as_deref(), Some("retap"));
        assert_eq!(
            (options.user, options.uid, options.folder),
            (10, Some(2000), PathBuf::from("/tmp/x"))
        );
    }

    #[test]
    fn an_option_that_is_unknown_or_lacks_its_value_is_refused() {
        for arguments in [
            &["--nmae", "x"][..],
            &["--user"],
            &["--user", "me"],
            &["--uid", "4294967295"],
            &["--udp", "here"],
        ] {
            let arguments: Vec<_> = arguments.iter().map(|&word| word.to_owned()).collect();
            let option = arguments[0].clone();
            assert_eq!(
                AgentOptions::parse(&arguments),
                Err(AgentOptionsError(option))
            );
        }
    }
}
