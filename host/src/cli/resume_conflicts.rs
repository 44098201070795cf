//! `--resume` with other options: a resumed run has its options already, so none may be given beside it.

use clap::{Command, Id};

/// Options that do not change a run: how the result and the progress are printed, and where store and adb are.
const ALLOWED: [&str; 8] = [
    "resume", "json", "color", "plain", "verbose", "adb", "store", "help",
];

/// Lets `--resume` of every subcommand conflict with all options and arguments that change a run.
pub fn add_resume_conflicts(command: Command) -> Command {
    let global: Vec<Id> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.get_id().clone())
        .collect();
    command.mut_subcommands(|subcommand| {
        let own = subcommand
            .get_arguments()
            .map(|argument| argument.get_id().clone());
        let conflicting: Vec<Id> = own
            .chain(global.iter().cloned())
            .filter(|id| !ALLOWED.contains(&id.as_str()))
            .collect();
        let has_resume = subcommand
            .get_arguments()
            .any(|argument| argument.get_id() == "resume");
        match has_resume {
            true => subcommand.mut_arg("resume", |resume| resume.conflicts_with_all(conflicting)),
            false => subcommand,
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{Arg, ArgAction};

    use crate::cli::cli_command;

    /// The argument as it would be typed, with a value that its parser takes.
    fn typed(argument: &Arg) -> Vec<String> {
        let value = match argument.get_possible_values().first() {
            Some(value) => value.get_name().to_owned(),
            None if argument.get_id() == "device" => "sim:notes".to_owned(),
            None if argument.get_id() == "target" => "crash".to_owned(),
            None if argument.get_id() == "ape" => "alpha=3".to_owned(),
            None => "5".to_owned(),
        };
        match argument.get_long() {
            None => vec![value],
            Some(long) if matches!(argument.get_action(), ArgAction::SetTrue) => {
                vec![format!("--{long}")]
            }
            Some(long) => vec![format!("--{long}"), value],
        }
    }

    #[test]
    fn every_option_of_a_run_is_refused_beside_resume() {
        for command in ["explore", "reduce", "reduce-suite"] {
            let mut all = cli_command();
            all.build();
            let subcommand = all.find_subcommand(command).unwrap();
            let mut refused = 0;
            for argument in subcommand.get_arguments() {
                let id = argument.get_id().as_str();
                if ["resume", "help", "version"].contains(&id) {
                    continue;
                }
                let mut line = vec!["retap".to_owned(), command.to_owned()];
                line.extend(["--resume".to_owned(), "run".to_owned()]);
                line.extend(typed(argument));
                let parsed = cli_command().try_get_matches_from(&line);
                let is_allowed = super::ALLOWED.contains(&id);
                match parsed {
                    Ok(_) => assert!(is_allowed, "{line:?} is accepted"),
                    Err(error) => {
                        assert!(!is_allowed, "{line:?}: {error}");
                        assert_eq!(
                            error.kind(),
                            ErrorKind::ArgumentConflict,
                            "{line:?}: {error}"
                        );
                        refused += 1;
                    }
                }
            }
            assert!(refused > 10, "{command}: only {refused} options were tried");
        }
    }
}
