//! Traces as tests of other tools, one file per format. Each format says which steps it cannot carry over.

mod adb;
mod appium_python;
mod ending;
mod literal;
mod maestro;
mod monkey;
mod phone_command;
mod python;
mod selector;
mod source;
mod uiautomator2_python;
mod uiautomator_kotlin;

use std::collections::{BTreeMap, BTreeSet};

use retap_reduce::named_choice::NamedChoice;
use retap_shared::geometry::Size;
use retap_shared::screen::Screen;
use retap_shared::trace::Trace;
use selector::Selector;
use source::{ExportSource, on_one_line};

/// The form of an exported test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Maestro,
    UiautomatorKotlin,
    Uiautomator2Python,
    AppiumPython,
    Monkey,
    Adb,
}

/// A test in the form of another tool.
#[derive(Debug)]
pub struct ExportedTest {
    pub text: String,
    /// What the test lacks, in the order of the steps.
    pub losses: Vec<ExportLoss>,
}

/// Something that the format cannot carry over, or not fully.
#[derive(Debug, PartialEq, Eq)]
pub struct ExportLoss {
    /// Numbers of the steps, from 1; none if it concerns the whole trace.
    pub steps: Vec<usize>,
    pub what: String,
}

/// Converts a trace. `screens` are recorded screens of its steps, as far as there are any: they tell which selectors are
/// unique.
pub fn export<'a>(
    trace: &'a Trace,
    screens: impl IntoIterator<Item = &'a Screen>,
    format: ExportFormat,
) -> ExportedTest {
    let source = ExportSource::new(trace, screens);
    let mut losses = LossList::default();
    let text = match format {
        ExportFormat::Maestro => maestro::write(&source, &mut losses),
        ExportFormat::UiautomatorKotlin => uiautomator_kotlin::write(&source, &mut losses),
        ExportFormat::Uiautomator2Python => uiautomator2_python::write(&source, &mut losses),
        ExportFormat::AppiumPython => appium_python::write(&source, &mut losses),
        ExportFormat::Monkey => monkey::write(&source, &mut losses),
        ExportFormat::Adb => adb::write(&source, &mut losses),
    };
    ExportedTest {
        text,
        losses: losses.into_losses(),
    }
}

/// Losses by what is lost, with the steps that they concern.
#[derive(Debug, Default)]
struct LossList {
    by_what: BTreeMap<String, BTreeSet<usize>>,
}

impl LossList {
    fn add(&mut self, step: usize, what: impl Into<String>) {
        self.by_what.entry(what.into()).or_default().insert(step);
    }

    fn add_to_trace(&mut self, what: impl Into<String>) {
        self.by_what.entry(what.into()).or_default();
    }

    /// Notes that a selector may match other widgets too.
    fn add_ambiguity(&mut self, step: usize, selector: &Selector) {
        if selector.may_match_others() {
            self.add(
                step,
                "only the id of the widget is known: if several have it, the test takes the first",
            );
        }
    }

    fn into_losses(self) -> Vec<ExportLoss> {
        let mut losses: Vec<ExportLoss> = self
            .by_what
            .into_iter()
            .map(|(what, steps)| ExportLoss {
                steps: steps.into_iter().collect(),
                what,
            })
            .collect();
        losses.sort_by_key(|loss| loss.steps.first().copied());
        losses
    }
}

impl NamedChoice for ExportFormat {
    const KIND: &'static str = "format";
    const ALL: &'static [ExportFormat] = &[
        ExportFormat::Maestro,
        ExportFormat::UiautomatorKotlin,
        ExportFormat::Uiautomator2Python,
        ExportFormat::AppiumPython,
        ExportFormat::Monkey,
        ExportFormat::Adb,
    ];

    fn name(self) -> &'static str {
        match self {
            ExportFormat::Maestro => "maestro",
            ExportFormat::UiautomatorKotlin => "uiautomator-kotlin",
            ExportFormat::Uiautomator2Python => "uiautomator2-python",
            ExportFormat::AppiumPython => "appium-python",
            ExportFormat::Monkey => "monkey",
            ExportFormat::Adb => "adb",
        }
    }

    fn description(self) -> &'static str {
        match self {
            ExportFormat::Maestro => "A flow in YAML",
            ExportFormat::UiautomatorKotlin => {
                "An instrumented test with androidx.test.uiautomator"
            }
            ExportFormat::Uiautomator2Python => "A script with the Python package uiautomator2",
            ExportFormat::AppiumPython => "A script with Appium-Python-Client",
            ExportFormat::Monkey => "A script for `monkey -f`: places only",
            ExportFormat::Adb => "A shell script with `adb shell input`: places only",
        }
    }
}

/// What formats without widgets lose.
const PLACES_ONLY: &str = "the format has places and no widgets: the test is right only for a display of that size and density";

/// What tests of widgets lose where only a path is known.
const PATH_ONLY: &str =
    "the widget has no id and no text: the test uses its path, which changes with every layout";

/// What they lose where nothing is known.
const PLACE_ONLY: &str =
    "no widget is named: the test touches a place, which is right only for a display of that size";

/// The first lines of a test: where it comes from.
fn header_lines(source: &ExportSource<'_>, mark: &str) -> Vec<String> {
    let header = &source.trace.header;
    let Size { width, height } = header.phone.size;
    let mut lines = vec![format!(
        "{mark} Exported by retap {} from a trace of {}, version code {}.",
        env!("CARGO_PKG_VERSION"),
        on_one_line(&header.app.package),
        header.app.version_code
    )];
    if let Some(target) = &header.target {
        lines.push(format!(
            "{mark} The trace led to {}.",
            on_one_line(&target.to_string())
        ));
    }
    if width > 0 {
        lines.push(format!(
            "{mark} Recorded on {}, {width} × {height}.",
            on_one_line(&header.phone.model)
        ));
    }
    lines
}
