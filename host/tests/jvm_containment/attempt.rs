//! The attempts of the hostile app, and traces that expect an outcome of one.

/// A button of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Home,
    Environment,
    Connect,
    Signal,
    Fork,
    Disk,
}

/// What the button says afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Refused,
    Succeeded,
}

impl Attempt {
    pub(crate) const ALL: [Attempt; 6] = [
        Attempt::Home,
        Attempt::Environment,
        Attempt::Connect,
        Attempt::Signal,
        Attempt::Fork,
        Attempt::Disk,
    ];
    /// Those that leave the machine as it was.
    pub(crate) const HARMLESS: [Attempt; 4] = [
        Attempt::Home,
        Attempt::Environment,
        Attempt::Connect,
        Attempt::Signal,
    ];

    pub(crate) fn button(self) -> &'static str {
        match self {
            Attempt::Home => "home",
            Attempt::Environment => "environment",
            Attempt::Connect => "connect",
            Attempt::Signal => "signal",
            Attempt::Fork => "fork",
            Attempt::Disk => "disk",
        }
    }

    /// One tap on the button, from a clean start.
    pub(crate) fn trace(self, outcome: Outcome) -> String {
        let button = self.button();
        let outcome = match outcome {
            Outcome::Refused => "refused",
            Outcome::Succeeded => "succeeded",
        };
        let app = r#""app":{"package":"dev.retap.hostile","version_code":1}"#;
        format!(
            r#"{{"retap":"1.0",{app},"start":"clean","target":{{"screen":{{"text":"{button}: {outcome}"}}}}}}
{{"do":{{"tap":{{"x":0,"y":0}}}},"widget":{{"text":"{button}"}}}}
"#
        )
    }
}
