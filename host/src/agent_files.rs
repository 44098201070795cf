//! The agent's files for a phone: the library for its processor, and the jar that loads it. They are found beside the
//! program or where `scripts/build-agent` left them, and must be of this version.

use std::io;
use std::path::{Path, PathBuf};

use retap_agent::version::{VERSION, version_in};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::wording::quoted_list;

/// The processors that the agent is built for, as Android names them.
pub const ABIS: [&str; 4] = ["arm64-v8a", "armeabi-v7a", "x86_64", "x86"];

/// Says where the agent is instead of looking for it.
const AGENT_DIR_VARIABLE: &str = "RETAP_AGENT_DIR";
const LIBRARY: &str = "libretap_agent.so";
const JAR: &str = "agent.jar";

/// Both are there, and the library is of this version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFiles {
    pub library: PathBuf,
    pub jar: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum AgentFilesError {
    #[error("the agent's `{file}` is not in {}", in_words(.places))]
    Missing { file: String, places: Vec<PathBuf> },
    #[error("`{}` is of Retap {version}, and this is Retap {VERSION}", .library.display())]
    Version { library: PathBuf, version: String },
    #[error("`{}` is not the agent's library", .library.display())]
    Foreign { library: PathBuf },
    #[error("could not read `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
}

impl AgentFiles {
    /// `abi` is what the phone calls its processor, such as `arm64-v8a`.
    pub fn find(abi: &str) -> Result<AgentFiles, AgentFilesError> {
        let chosen = std::env::var_os(AGENT_DIR_VARIABLE)
            .filter(|place| !place.is_empty())
            .map(PathBuf::from);
        let program = std::env::current_exe();
        AgentFiles::find_in(abi, &places(chosen, program.ok().as_deref()))
    }

    fn find_in(abi: &str, places: &[PathBuf]) -> Result<AgentFiles, AgentFilesError> {
        let file = Path::new(abi).join(LIBRARY);
        let missing = |file: &Path| AgentFilesError::Missing {
            file: file.display().to_string(),
            places: places.to_vec(),
        };
        let place = places
            .iter()
            .find(|place| place.join(&file).is_file())
            .ok_or_else(|| missing(&file))?;
        let library = place.join(&file);
        let jar = place.join(JAR);
        if !jar.is_file() {
            return Err(missing(Path::new(JAR)));
        }
        let bytes = std::fs::read(&library).map_err(|source| AgentFilesError::Read {
            path: library.clone(),
            source,
        })?;
        match version_in(&bytes) {
            Some(VERSION) => Ok(AgentFiles { library, jar }),
            Some(version) => Err(AgentFilesError::Version {
                version: version.to_owned(),
                library,
            }),
            None => Err(AgentFilesError::Foreign { library }),
        }
    }
}

/// Beside the program as it is installed, then in the target folder that it was built into.
fn places(chosen: Option<PathBuf>, program: Option<&Path>) -> Vec<PathBuf> {
    if let Some(chosen) = chosen {
        return vec![chosen];
    }
    let folders = program
        .into_iter()
        .flat_map(Path::ancestors)
        .skip(1)
        .take(2);
    folders.map(|folder| folder.join("agent")).collect()
}

fn in_words(places: &[PathBuf]) -> String {
    let places: Vec<_> = places
        .iter()
        .map(|place| place.display().to_string())
        .collect();
    quoted_list(places.iter().map(String::as_str))
}

impl UserError for AgentFilesError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            AgentFilesError::Missing { .. } => {
                format!(
                    "build it with `scripts/build-agent` and `scripts/build-bootstrap`, or say in {AGENT_DIR_VARIABLE} where it is"
                )
            }
            AgentFilesError::Version { .. } | AgentFilesError::Foreign { .. } => {
                "build it anew with `scripts/build-agent` and `scripts/build-bootstrap`".into()
            }
            AgentFilesError::Read { .. } => "see who may read the file".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_that_has_the_library_serves() {
        let empty = tempfile::tempdir().unwrap();
        let full = tempfile::tempdir().unwrap();
        let mark = format!("ELF retap-agent version {VERSION}; and so on");
        build(full.path(), mark.as_bytes());
        let places = [empty.path().to_owned(), full.path().to_owned()];
        let found = AgentFiles::find_in("x86_64", &places).unwrap();
        assert_eq!(found.library, full.path().join("x86_64/libretap_agent.so"));
        assert_eq!(found.jar, full.path().join("agent.jar"));
    }

    #[test]
    fn a_library_of_another_version_or_of_another_program_is_refused() {
        let place = tempfile::tempdir().unwrap();
        build(place.path(), b"retap-agent version 0.0.9;");
        let refused = AgentFiles::find_in("x86_64", &[place.path().to_owned()]);
        assert!(
            matches!(refused, Err(AgentFilesError::Version { version, .. }) if version == "0.0.9")
        );
        build(place.path(), b"\x7fELF");
        let refused = AgentFiles::find_in("x86_64", &[place.path().to_owned()]);
        assert!(matches!(refused, Err(AgentFilesError::Foreign { .. })));
    }

    #[test]
    fn missing_files_are_reported_with_every_place_that_was_searched() {
        let place = tempfile::tempdir().unwrap();
        let places = [place.path().to_owned(), PathBuf::from("/nowhere")];
        let words = AgentFiles::find_in("arm64-v8a", &places)
            .unwrap_err()
            .to_string();
        assert!(
            words.contains("`arm64-v8a/libretap_agent.so`") && words.contains("/nowhere"),
            "{words}"
        );
        build(place.path(), b"");
        std::fs::remove_file(place.path().join(JAR)).unwrap();
        let words = AgentFiles::find_in("x86_64", &places)
            .unwrap_err()
            .to_string();
        assert!(words.contains("`agent.jar`"), "{words}");
    }

    #[test]
    fn a_place_that_was_chosen_is_the_only_one() {
        let program = Path::new("/opt/retap/target/release/retap");
        let expected =
            ["/opt/retap/target/release/agent", "/opt/retap/target/agent"].map(PathBuf::from);
        assert_eq!(places(None, Some(program)), expected);
        assert_eq!(
            places(Some("/chosen".into()), Some(program)),
            [PathBuf::from("/chosen")]
        );
        assert!(places(None, None).is_empty());
    }

    fn build(place: &Path, library: &[u8]) {
        std::fs::create_dir_all(place.join("x86_64")).unwrap();
        std::fs::write(place.join("x86_64/libretap_agent.so"), library).unwrap();
        std::fs::write(place.join(JAR), b"PK").unwrap();
    }
}
