//! The terminal, and the only file that uses terminal crates: results go to standard output, progress to standard error.
//! On a terminal progress is a bar; elsewhere it is a plain line now and then.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing_subscriber::EnvFilter;

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::wording::group_thousands;

/// Interval of progress lines where no bar can move.
const PLAIN_INTERVAL: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

/// Meaning of a line, shown by its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    Plain,
    Heading,
    Good,
    Bad,
    Warning,
    Quiet,
}

/// Progress of a part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressStatus {
    pub what: String,
    pub done: u64,
    /// None if it is unknown.
    pub total: Option<u64>,
    /// Unit of `done`, in the plural.
    pub unit: &'static str,
    pub note: String,
}

#[derive(Debug)]
pub struct Console {
    bars: bool,
    state: Mutex<ConsoleState>,
}

#[derive(Debug)]
struct ConsoleState {
    bar: Option<ProgressBar>,
    began: Instant,
    last_printed: Instant,
}

#[derive(Debug, thiserror::Error)]
#[error("could not write the result")]
pub struct OutputError(#[source] io::Error);

impl Console {
    /// `plain` forbids moving bars even on a terminal.
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
            state: Mutex::new(ConsoleState {
                bar: None,
                began: now,
                last_printed: now,
            }),
        }
    }

    /// Writes log lines to standard error from now on. `RUST_LOG` replaces the filter.
    pub fn enable_tracing(filter: &str) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(filter));
        let ansi = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(ansi)
            .with_writer(|| LogWriter)
            .init();
    }

    /// Writes a result to standard output: lines, or JSON. Texts of apps in it reach the terminal sanitised.
    pub fn result(&self, text: &str) -> Result<(), OutputError> {
        let text = sanitise_terminal::sanitise_text(text);
        let written = self.with_bar_hidden(|| {
            let mut out = anstream::stdout().lock();
            writeln!(out, "{text}")?;
            out.flush()
        });
        match written {
            // The reader has closed the pipe, as in `retap … | head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(OutputError),
        }
    }

    /// Writes lines to standard error. In a run, only reporters call it; commands without a run print their remarks.
    pub fn print(&self, style: LineStyle, lines: &str) {
        let style = style.style();
        let sanitised = |line: &str| {
            format!(
                "{style}{}{style:#}",
                sanitise_terminal::sanitise_line(line, LINE_WIDTH)
            )
        };
        self.with_bar_hidden(|| {
            lines
                .split('\n')
                .for_each(|line| self.write_stderr(&sanitised(line)));
        });
    }

    /// Writes the error, its causes, and what to do.
    pub fn print_error(&self, error: &CommandError) {
        let bad = LineStyle::Bad.style();
        let good = LineStyle::Good.style();
        let chain = error.chain();
        self.end_progress();
        self.write_stderr(&format!(
            "{bad}error:{bad:#} {}",
            sanitise_terminal::sanitise_line(&chain[0], LINE_WIDTH)
        ));
        for cause in &chain[1..] {
            self.write_stderr(&format!(
                "  {bad}cause:{bad:#} {}",
                sanitise_terminal::sanitise_line(cause, LINE_WIDTH)
            ));
        }
        for detail in error.details() {
            self.write_stderr(&format!(
                "  {}",
                sanitise_terminal::sanitise_line(&detail, LINE_WIDTH)
            ));
        }
        self.write_stderr(&format!(
            "{good}help:{good:#} {}",
            sanitise_terminal::sanitise_line(&error.help(), LINE_WIDTH)
        ));
    }

    /// Starts a bar, and removes the last one.
    pub fn begin_progress(&self, progress: &ProgressStatus) {
        self.end_progress();
        let mut state = self.lock();
        state.began = Instant::now();
        state.last_printed = state.began;
        if self.bars {
            state.bar = Some(bar(progress));
        }
    }

    /// Updates the bar, or writes a line if the last one was long ago.
    pub fn progress(&self, progress: &ProgressStatus) {
        let mut state = self.lock();
        if let Some(bar) = &state.bar {
            bar.set_position(progress.done);
            bar.set_message(message(progress));
        } else if !self.bars && state.last_printed.elapsed() >= PLAIN_INTERVAL {
            state.last_printed = Instant::now();
            let line = plain_progress(progress, state.began.elapsed());
            drop(state);
            self.write_stderr(&line);
        }
    }

    /// Removes the bar.
    pub fn end_progress(&self) {
        if let Some(bar) = self.lock().bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Writes while the bar is hidden.
    fn with_bar_hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = self.lock().bar.clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Ignores errors: there is nowhere to report them.
    fn write_stderr(&self, line: &str) {
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }

    fn lock(&self) -> MutexGuard<'_, ConsoleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes log lines to standard error. Names of hosts and texts of apps in them are sanitised.
#[derive(Debug)]
struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = sanitise_terminal::sanitise_log(&String::from_utf8_lossy(line));
        io::stderr().write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl LineStyle {
    fn style(self) -> Style {
        match self {
            LineStyle::Plain => Style::new(),
            LineStyle::Heading => Style::new().bold(),
            LineStyle::Good => AnsiColor::Green.on_default().bold(),
            LineStyle::Bad => AnsiColor::Red.on_default().bold(),
            LineStyle::Warning => AnsiColor::Yellow.on_default().bold(),
            LineStyle::Quiet => Style::new().dimmed(),
        }
    }
}

impl UserError for OutputError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "see where standard output goes, and whether there is space".into()
    }
}

fn bar(progress: &ProgressStatus) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(progress.total, ProgressDrawTarget::stderr());
    let template = match progress.total {
        Some(_) => "   {prefix} {bar:28} {human_pos}/{human_len} {msg}, {eta} left",
        None => "   {spinner} {prefix}, {human_pos} {msg}, {elapsed} so far",
    };
    // A template that does not parse is a bug of this file; the default bar still works.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar.set_prefix(progress.what.clone());
    bar.set_message(message(progress));
    bar.enable_steady_tick(TICK);
    bar
}

fn message(progress: &ProgressStatus) -> String {
    format!("{}, {}", progress.unit, progress.note)
}

fn plain_progress(progress: &ProgressStatus, elapsed: Duration) -> String {
    let ProgressStatus {
        what,
        done,
        total,
        unit,
        note,
    } = progress;
    let Some(total) = total else {
        return format!("   {what}, {} {unit}, {note}", group_thousands(*done));
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
        group_thousands(*done),
        group_thousands(*total)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_progress_has_the_share_and_the_time_left() {
        let progress = ProgressStatus {
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
        let open = ProgressStatus {
            total: None,
            ..progress
        };
        assert_eq!(
            plain_progress(&open, Duration::from_secs(10)),
            "   notes, 1,000 events, 7 screens"
        );
    }
}
