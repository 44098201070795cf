//! The terminal, and the only file that knows of one: results go to standard output, progress to standard error.
//! Bars move where a person watches; elsewhere there is a plain line now and then.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing_subscriber::EnvFilter;

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::plain::{self, LONG};
use crate::words::thousands;

/// How often progress is told where no bar can move.
const PLAIN_INTERVAL: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Where a terminal shows it.
    #[default]
    Auto,
    Always,
    Never,
}

/// How a line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Heading,
    Good,
    Bad,
    Warning,
    Quiet,
}

/// How far something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub what: String,
    pub done: u64,
    /// Without one nobody knows how far it is, only that it goes on.
    pub total: Option<u64>,
    /// What is counted, in the plural.
    pub unit: &'static str,
    pub note: String,
}

#[derive(Debug)]
pub struct Console {
    bars: bool,
    showing: Mutex<Showing>,
}

#[derive(Debug)]
struct Showing {
    bar: Option<ProgressBar>,
    began: Instant,
    told: Instant,
}

#[derive(Debug, thiserror::Error)]
#[error("could not write the result")]
pub struct OutputError(#[source] io::Error);

impl Console {
    /// `plain` asks for no moving bars even on a terminal.
    pub fn new(color: Color, plain: bool) -> Console {
        let choice = match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let bars = !plain && !dumb && io::stderr().is_terminal();
        let now = Instant::now();
        Console {
            bars,
            showing: Mutex::new(Showing {
                bar: None,
                began: now,
                told: now,
            }),
        }
    }

    /// What goes on inside, line by line on standard error, from now on.
    pub fn trace() {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("debug"));
        let ansi = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(ansi)
            .with_writer(io::stderr)
            .init();
    }

    /// A result on standard output: lines that are harmless already, or JSON.
    pub fn result(&self, text: &str) -> Result<(), OutputError> {
        let written = self.apart(|| {
            let mut out = anstream::stdout().lock();
            writeln!(out, "{text}")?;
            out.flush()
        });
        match written {
            // Whoever reads has seen enough, as in `retap … | head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(OutputError),
        }
    }

    /// Lines about what is going on, on standard error.
    pub fn say(&self, tone: Tone, lines: &str) {
        let style = tone.style();
        let harmless = |line: &str| format!("{style}{}{style:#}", plain::line(line, LONG));
        self.apart(|| {
            lines
                .split('\n')
                .for_each(|line| self.tell(&harmless(line)))
        });
    }

    /// The error, why, and what to do.
    pub fn failure(&self, failure: &Failure) {
        let bad = Tone::Bad.style();
        let good = Tone::Good.style();
        let chain = failure.chain();
        self.end_progress();
        self.tell(&format!(
            "{bad}error:{bad:#} {}",
            plain::line(&chain[0], LONG)
        ));
        for cause in &chain[1..] {
            self.tell(&format!(
                "  {bad}cause:{bad:#} {}",
                plain::line(cause, LONG)
            ));
        }
        for detail in failure.details() {
            self.tell(&format!("  {}", plain::line(&detail, LONG)));
        }
        self.tell(&format!(
            "{good}help:{good:#} {}",
            plain::line(&failure.help(), LONG)
        ));
    }

    /// Starts a new measure of time; the bar of the last one goes away.
    pub fn begin_progress(&self, progress: &Progress) {
        self.end_progress();
        let mut showing = self.lock();
        showing.began = Instant::now();
        showing.told = showing.began;
        if self.bars {
            showing.bar = Some(bar(progress));
        }
    }

    pub fn progress(&self, progress: &Progress) {
        let mut showing = self.lock();
        if let Some(bar) = &showing.bar {
            bar.set_position(progress.done);
            bar.set_message(message(progress));
        } else if !self.bars && showing.told.elapsed() >= PLAIN_INTERVAL {
            showing.told = Instant::now();
            let line = plain_progress(progress, showing.began.elapsed());
            drop(showing);
            self.tell(&line);
        }
    }

    pub fn end_progress(&self) {
        if let Some(bar) = self.lock().bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Writes while no bar is in the way.
    fn apart<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = self.lock().bar.clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Nobody can be told that standard error is gone.
    fn tell(&self, line: &str) {
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }

    fn lock(&self) -> MutexGuard<'_, Showing> {
        self.showing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Tone::Plain => Style::new(),
            Tone::Heading => Style::new().bold(),
            Tone::Good => AnsiColor::Green.on_default().bold(),
            Tone::Bad => AnsiColor::Red.on_default().bold(),
            Tone::Warning => AnsiColor::Yellow.on_default().bold(),
            Tone::Quiet => Style::new().dimmed(),
        }
    }
}

impl Explained for OutputError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "see where standard output goes, and whether there is room".into()
    }
}

fn bar(progress: &Progress) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(progress.total, ProgressDrawTarget::stderr());
    let template = match progress.total {
        Some(_) => "   {prefix} {bar:28} {human_pos}/{human_len} {msg}, {eta} left",
        None => "   {spinner} {prefix}, {human_pos} {msg}, {elapsed} so far",
    };
    // A template that does not parse is a fault of this file; the plain bar of the crate is still a bar.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar.set_prefix(progress.what.clone());
    bar.set_message(message(progress));
    bar.enable_steady_tick(TICK);
    bar
}

fn message(progress: &Progress) -> String {
    format!("{}, {}", progress.unit, progress.note)
}

fn plain_progress(progress: &Progress, elapsed: Duration) -> String {
    let Progress {
        what,
        done,
        total,
        unit,
        note,
    } = progress;
    let Some(total) = total else {
        return format!("   {what}, {} {unit}, {note}", thousands(*done));
    };
    let left = match *done {
        0 => String::new(),
        done => format!(
            ", about {} s left",
            elapsed.as_secs() * total.saturating_sub(done) / done
        ),
    };
    format!(
        "   {what}: {} of {} {unit}, {note}{left}",
        thousands(*done),
        thousands(*total)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_progress_tells_how_far_and_how_long_still() {
        let progress = Progress {
            what: "notes".into(),
            done: 1_000,
            total: Some(4_000),
            unit: "events",
            note: "7 screens".into(),
        };
        let line = plain_progress(&progress, Duration::from_secs(10));
        assert_eq!(
            line,
            "   notes: 1,000 of 4,000 events, 7 screens, about 30 s left"
        );
        let open = Progress {
            total: None,
            ..progress
        };
        assert_eq!(
            plain_progress(&open, Duration::from_secs(10)),
            "   notes, 1,000 events, 7 screens"
        );
    }
}
