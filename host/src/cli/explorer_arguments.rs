//! Options of explorers, as `retap explore` and `retap bench explore` take them.

use std::path::PathBuf;

use clap::Args;

use crate::command_error::CommandError;
use crate::config::Config;
use crate::options::{ExplorerKind, ExplorerOptions};
use crate::run::directory;

#[derive(Debug, Default, Args)]
#[group(id = "tuning", multiple = true)]
#[command(
    next_help_heading = "Monkey's events, in percent; those not given share the rest as in Android's own"
)]
pub struct ExplorerArguments {
    /// A setting of APE's, such as `alpha=3`; docs/how-it-works/ape.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting, help_heading = "Models")]
    ape: Vec<(String, String)>,
    /// Strategy under `timetravel`; default: `monkey+system`
    #[arg(long, value_enum, help_heading = "Models")]
    over: Option<ExplorerKind>,
    /// The abstraction to start from, as a run with `ape` writes it
    #[arg(long, value_name = "FILE", help_heading = "Models")]
    abstraction: Option<PathBuf>,
    /// Milliseconds between two events; default: 200
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=60_000))]
    throttle: Option<u32>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Taps anywhere"
    )]
    pct_touch: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Drags from anywhere"
    )]
    pct_motion: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Pinches"
    )]
    pct_pinchzoom: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "A trackball's moves and clicks"
    )]
    pct_trackball: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Turning the display"
    )]
    pct_rotation: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Up, down, left, right"
    )]
    pct_nav: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Menu and the key in the middle"
    )]
    pct_majornav: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Home, back, volume"
    )]
    pct_syskeys: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Launching the app"
    )]
    pct_appswitch: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "A keyboard that slides out"
    )]
    pct_flip: Option<f64>,
    #[arg(
        long,
        value_name = "PERCENT",
        allow_negative_numbers = true,
        help = "Any other key"
    )]
    pct_anyevent: Option<f64>,
}

impl ExplorerArguments {
    pub fn tuning(&self, config: &Config) -> Result<ExplorerOptions, CommandError> {
        let shares = [
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
        ];
        let abstraction = self
            .abstraction
            .as_deref()
            .map(directory::read)
            .transpose()?;
        // The last one wins.
        let ape = config
            .explore
            .ape
            .iter()
            .chain(&self.ape)
            .cloned()
            .collect();
        Ok(ExplorerOptions {
            shares: shares
                .iter()
                .filter_map(|(name, share)| Some(((*name).to_owned(), (*share)?)))
                .collect(),
            throttle: self.throttle.or(config.explore.throttle),
            ape,
            over: self.over,
            abstraction,
        })
    }
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a setting is a name, `=` and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}
