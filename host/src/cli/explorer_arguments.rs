//! Options of explorers, as `retap explore` and `retap bench explore` take them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_error::CommandError;
use crate::config::ExploreConfig;
use crate::options::{DEFAULT_THROTTLE_MS, ExplorerKind, ExplorerOptions};
use crate::run::directory;

#[derive(Debug, Default, Args)]
pub struct ExplorerArguments {
    /// Parameter of APE, such as `alpha=3`; docs/how-it-works/ape.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_parameter, help_heading = "APE")]
    ape: Vec<(String, String)>,
    /// Abstraction to start from, as a run with `ape` writes it
    #[arg(long, value_name = "FILE", help_heading = "APE")]
    abstraction: Option<PathBuf>,
    /// Explorer under `timetravel` [default: monkey+system]
    #[arg(long, value_parser = choice_parser::<ExplorerKind>(), hide_possible_values = true, value_name = "EXPLORER", help_heading = "Time travel")]
    over: Option<ExplorerKind>,
    #[command(flatten)]
    monkey: MonkeyArguments,
}

/// Options of Monkey.
#[derive(Debug, Default, Args)]
#[command(
    next_help_heading = "Monkey: shares of its events in percent; those not given share the rest as in Android's own"
)]
struct MonkeyArguments {
    #[arg(
        long,
        value_name = "MS",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=60_000),
        help = help_with_default("Milliseconds between two events", DEFAULT_THROTTLE_MS)
    )]
    throttle: Option<u32>,
    /// Taps anywhere
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_touch: Option<f64>,
    /// Drags from anywhere
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_motion: Option<f64>,
    /// Pinches
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_pinchzoom: Option<f64>,
    /// Moves and clicks of a trackball
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_trackball: Option<f64>,
    /// Turns of the display
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_rotation: Option<f64>,
    /// Keys up, down, left and right
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_nav: Option<f64>,
    /// Menu key and centre key
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_majornav: Option<f64>,
    /// Home, back and volume keys
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_syskeys: Option<f64>,
    /// Launches of the app
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_appswitch: Option<f64>,
    /// A keyboard that slides out
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_flip: Option<f64>,
    /// Any other key
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pct_anyevent: Option<f64>,
}

impl ExplorerArguments {
    /// The command line over `retap.toml`.
    pub fn options(&self, config: &ExploreConfig) -> Result<ExplorerOptions, CommandError> {
        let abstraction = self
            .abstraction
            .as_deref()
            .map(directory::read)
            .transpose()?;
        Ok(ExplorerOptions {
            shares: self.monkey.shares(),
            throttle: self.monkey.throttle.or(config.throttle),
            // The last value of a parameter wins.
            ape: config.ape.iter().chain(&self.ape).cloned().collect(),
            over: self.over,
            abstraction,
        })
    }
}

impl MonkeyArguments {
    /// Shares that were given, by the names of the events.
    fn shares(&self) -> Vec<(String, f64)> {
        [
            ("touch", self.pct_touch),
            ("motion", self.pct_motion),
            ("pinchzoom", self.pct_pinchzoom),
            ("trackball", self.pct_trackball),
            ("rotation", self.pct_rotation),
            ("nav", self.pct_nav),
            ("majornav", self.pct_majornav),
            ("syskeys", self.pct_syskeys),
            ("appswitch", self.pct_appswitch),
            ("flip", self.pct_flip),
            ("anyevent", self.pct_anyevent),
        ]
        .into_iter()
        .filter_map(|(name, share)| Some((name.to_owned(), share?)))
        .collect()
    }
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a parameter is a name, `=` and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}
