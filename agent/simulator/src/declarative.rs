//! Declarative apps, or parts of apps: screens, widgets and rules as data. `builder` puts them
//! together, `view` draws them, `rule_execution` follows the rules, `dependency_cone` finds the widgets of a failure.

mod builder;
mod declarative_app;
mod dependency_cone;
mod rule_execution;
mod state;
mod view;

pub(crate) use builder::{
    button, check, field, inert_field, inert_switch, link_row, radio, row, rows, rule, screen, tab,
    text,
};
pub(crate) use declarative_app::DeclarativeApp;
pub(crate) use dependency_cone::DependencyCone;
use retap_shared::Text;
use retap_shared::finding::Finding;
pub(crate) use state::DeclarativeState;

use crate::framework::{Exception, ExternalScreen, Stall, Tombstone};

/// The screens of an app or of a part of it. Made once; variables and texts are in `DeclarativeState`.
#[derive(Debug)]
pub(crate) struct AppDefinition {
    pub(crate) screens: Vec<ScreenDefinition>,
    /// An introduction: the screen that is shown first as long as the variable is 0.
    pub(crate) introduction: Option<(Variable, u8)>,
    /// The first of its decisions among those of the app.
    pub(crate) first_decision: u32,
    pub(crate) decisions: u32,
    /// Number of switches with a variable of their own. These are the first inert variables.
    inert: usize,
    inert_texts: usize,
}

/// A number from 0 to 255 that rules read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Variable {
    /// On disk.
    Persistent(u8),
    /// Only in the process.
    Memory(u8),
    /// On storage that the apps of a phone share: a clean start leaves it.
    Shared(u8),
    /// Shown, and nothing depends on it.
    Inert(u16),
}

#[derive(Debug, Default)]
pub(crate) struct ScreenDefinition {
    /// Its class, such as `LibraryActivity`.
    pub(crate) class: Text,
    pub(crate) title: Text,
    pub(crate) widgets: Vec<WidgetDefinition>,
    pub(crate) menu: Vec<WidgetDefinition>,
    pub(crate) dialogs: Vec<DialogDefinition>,
    /// Rules that run when a delayed effect or a load ends.
    pub(crate) delayed: Vec<AppRules>,
    pub(crate) hooks: Vec<(ActivityHook, AppRules)>,
    /// The decision of `onCreate`: true if the activity is created for the first time.
    decision: u32,
}

/// A callback of an activity that needs no touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActivityHook {
    Open,
    Resume,
    Return,
    Rotate,
    Locale,
    Restore,
    Back,
    Call,
    Offline,
    Online,
    LowMemory,
}

#[derive(Debug)]
pub(crate) struct WidgetDefinition {
    pub(crate) id: Text,
    pub(crate) label: Text,
    pub(crate) kind: WidgetKind,
    /// Visible only while all of these hold. They read variables only.
    pub(crate) visible_when: Vec<RuleCondition>,
    pub(crate) on_tap: AppRules,
    pub(crate) on_long_press: AppRules,
    /// Number of widgets in one row; 0 for a row of its own.
    pub(crate) columns: u8,
    decision: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WidgetKind {
    Text,
    Button,
    Row,
    Picture,
    Switch(Variable),
    Check(Variable),
    Radio(Variable, u8),
    Tab(Variable, u8),
    /// Its label and a number.
    Value(Variable),
    Field(FieldText),
    /// A list; with `more` it never ends. A tap puts the row's number into `chosen`. Its content changes with
    /// `content_version`.
    Rows {
        count: u8,
        more: Option<Variable>,
        chosen: Option<Variable>,
        content_version: Option<Variable>,
    },
    /// A web page: only its middle reacts to a tap.
    Web,
    EndlessProgress,
}

/// The text of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FieldText {
    Persistent(u8),
    /// Nothing depends on it.
    Inert(u8),
}

#[derive(Debug)]
pub(crate) struct DialogDefinition {
    pub(crate) title: Text,
    pub(crate) message: Text,
    pub(crate) buttons: Vec<(Text, AppRules)>,
    pub(crate) kind: DialogKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialogKind {
    /// Closed by Back and by a touch beside it.
    Plain,
    /// Closed only by its buttons.
    NotCancellable,
    /// A dialog of the system, for a consent that cannot be granted beforehand.
    SystemConsent,
}

/// Rules of one event. The first rule whose conditions all hold is followed.
#[derive(Debug, Default)]
pub(crate) struct AppRules(pub(crate) Vec<AppRule>);

#[derive(Debug)]
pub(crate) struct AppRule {
    pub(crate) when: Vec<RuleCondition>,
    pub(crate) then: Vec<RuleEffect>,
    decision: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleCondition {
    Equals(Variable, u8),
    NotEquals(Variable, u8),
    GreaterThan(Variable, u8),
    Landscape,
    ForeignLanguage,
    Offline,
    Text(FieldText, TextKind),
}

/// Kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Empty,
    Number,
    EmailAddress,
    Quote,
    Long,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleEffect {
    Set(Variable, u8),
    /// Adds one, up to the maximum.
    Increment(Variable, u8),
    Toggle(Variable),
    Open(u8),
    Close,
    ShowDialog(u8),
    /// Milliseconds, and the number of the rules in `ScreenDefinition::delayed`. Cancelled when its activity is closed.
    PostDelayed(u64, u8),
    /// The same, but not cancelled when its activity is closed.
    PostLeaked(u64, u8),
    CancelPosted,
    /// Loads from the network: the delayed rules for success, and those for failure.
    Load(u8, u8),
    OpenExternal(ExternalScreen),
    BlockMainThread(u64, &'static Stall),
    Throw(&'static Exception, &'static str),
    Signal(&'static Tombstone),
}

/// An activity of a declarative app.
#[derive(Clone, Debug, Hash)]
pub(crate) struct DeclarativePage {
    pub(crate) screen: u8,
    /// Number of the open dialog.
    open_dialog: Option<u8>,
}

impl DeclarativePage {
    pub(crate) fn of(screen: u8) -> DeclarativePage {
        DeclarativePage {
            screen,
            open_dialog: None,
        }
    }
}

#[derive(Clone, Debug, Hash)]
pub(crate) enum DeclarativeMsg {
    Tap(u16),
    LongPress(u16),
    Row(u16, u8),
    /// The end of a list was reached.
    More(u16),
    Edit(u8, Text),
    EditInert(u8, Text),
    Menu(u8),
    Answer(u8),
    Cancel,
    Delayed(u8),
    LeakedDelayed {
        screen: u8,
        number: u8,
    },
    Loaded(u8, u8),
}

impl AppDefinition {
    /// All failures of the app, each once.
    pub(crate) fn failures(&self) -> Vec<RuleEffect> {
        let mut failures: Vec<RuleEffect> = Vec::new();
        for then in self
            .rules()
            .flat_map(|rules| &rules.0)
            .flat_map(|rule| &rule.then)
        {
            if then.fails() && !failures.iter().any(|known| known.is_same_failure(then)) {
                failures.push(*then);
            }
        }
        failures
    }

    fn rules(&self) -> impl Iterator<Item = &AppRules> {
        self.screens.iter().flat_map(|screen| {
            let widgets = screen.widgets.iter().chain(&screen.menu);
            let touched = widgets.flat_map(|widget| [&widget.on_tap, &widget.on_long_press]);
            let answers = screen
                .dialogs
                .iter()
                .flat_map(|dialog| &dialog.buttons)
                .map(|(_, rules)| rules);
            let hooks = screen.hooks.iter().map(|(_, rules)| rules);
            touched.chain(answers).chain(hooks).chain(&screen.delayed)
        })
    }
}

impl RuleEffect {
    fn fails(&self) -> bool {
        matches!(
            self,
            RuleEffect::Throw(..) | RuleEffect::Signal(_) | RuleEffect::BlockMainThread(..)
        )
    }

    pub(crate) fn is_same_failure(&self, other: &RuleEffect) -> bool {
        match (self, other) {
            (RuleEffect::Throw(one, _), RuleEffect::Throw(other, _)) => std::ptr::eq(*one, *other),
            (RuleEffect::Signal(one), RuleEffect::Signal(other)) => std::ptr::eq(*one, *other),
            (RuleEffect::BlockMainThread(_, one), RuleEffect::BlockMainThread(_, other)) => {
                std::ptr::eq(*one, *other)
            }
            _ => false,
        }
    }

    /// True if the finding was caused by it.
    pub(crate) fn is_in(&self, finding: &Finding) -> bool {
        let has = |frame: &str| finding.stack.contains(frame);
        match self {
            RuleEffect::Throw(exception, _) => exception.frames.iter().all(|frame| has(frame)),
            RuleEffect::Signal(tombstone) => tombstone.frames.iter().all(|(name, _)| has(name)),
            RuleEffect::BlockMainThread(_, stall) => stall.frames.iter().all(|frame| has(frame)),
            _ => false,
        }
    }

    /// The place of the failure.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            RuleEffect::Throw(exception, _) => {
                exception.frames.first().copied().unwrap_or_default()
            }
            RuleEffect::Signal(tombstone) => tombstone.called_from,
            RuleEffect::BlockMainThread(_, stall) => {
                stall.frames.first().copied().unwrap_or_default()
            }
            _ => "",
        }
    }
}

impl TextKind {
    fn matches(self, text: &str) -> bool {
        match self {
            TextKind::Empty => text.is_empty(),
            TextKind::Number => {
                !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
            }
            TextKind::EmailAddress => text.contains('@'),
            TextKind::Quote => text.contains('\''),
            TextKind::Long => text.chars().count() > 60,
        }
    }
}
