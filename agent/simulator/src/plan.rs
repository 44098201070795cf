//! Apps, or parts of apps, that are told as data: screens, widgets, and rules for what happens. `build` puts them
//! together, `view` draws them, `run` follows the rules, `cone` finds what can have to do with what.

mod build;
mod cone;
mod run;
mod view;
mod whole;

pub(crate) use build::{
    button, check, field, go, note, radio, row, rows, rule, screen, tab, text, toggle,
};
pub(crate) use cone::Cone;
use retap_shared::Text;
use retap_shared::verdict::Problem;
pub(crate) use whole::Planned;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::kit::{Elsewhere, Exception, Shown, Stall, Tombstone};

/// The screens of an app or of a part of it. Made once; what changes is in `State`.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) screens: Vec<Screen>,
    /// Shown first as long as the variable is 0: an introduction.
    pub(crate) first_time: Option<(Var, u8)>,
    /// The first of its decisions among those of the app.
    pub(crate) first_decision: u32,
    pub(crate) decisions: u32,
    /// Switches with a variable of their own, which are the first ones of no consequence.
    inert: usize,
    inert_texts: usize,
}

/// A number from 0 to 255 that rules look at and change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Var {
    /// On disk.
    Kept(u8),
    /// Only in the process.
    Memory(u8),
    /// Shown, and nothing depends on it.
    Inert(u16),
}

#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// Its class, such as `LibraryActivity`.
    pub(crate) class: Text,
    pub(crate) title: Text,
    pub(crate) widgets: Vec<Widget>,
    pub(crate) menu: Vec<Widget>,
    pub(crate) dialogs: Vec<Dialog>,
    /// What `Then::Later` and `Then::Load` come back to.
    pub(crate) later: Vec<Rules>,
    pub(crate) hooks: Vec<(Hook, Rules)>,
    /// Whether it was created for the first time: the first thing that `onCreate` asks.
    decision: u32,
}

/// What happens to an activity without a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
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
pub(crate) struct Widget {
    pub(crate) id: Text,
    pub(crate) label: Text,
    pub(crate) look: Look,
    /// Seen only while all of these hold; they look at variables alone.
    pub(crate) shown: Vec<Is>,
    pub(crate) tap: Rules,
    pub(crate) long: Rules,
    /// So many beside each other; 0 for a line of its own.
    pub(crate) columns: u8,
    decision: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Text,
    Button,
    Row,
    Picture,
    Switch(Var),
    Check(Var),
    Radio(Var, u8),
    Tab(Var, u8),
    /// Its label and a number.
    Value(Var),
    Field(Typed),
    /// A list; with `more` it never ends. A tap puts the row's number into `chosen`. What it lists changes with `turn`.
    Rows {
        count: u8,
        more: Option<Var>,
        chosen: Option<Var>,
        turn: Option<Var>,
    },
    /// A page of the web: only its middle does something.
    Web,
    Restless,
}

/// The text of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Typed {
    Kept(u8),
    /// Nothing depends on it.
    Inert(u8),
}

#[derive(Debug)]
pub(crate) struct Dialog {
    pub(crate) title: Text,
    pub(crate) message: Text,
    pub(crate) buttons: Vec<(Text, Rules)>,
    pub(crate) kind: DialogKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialogKind {
    /// Back and a touch beside it close it.
    Plain,
    /// Only its buttons do.
    Stubborn,
    /// The system's, for what cannot be granted beforehand.
    Consent,
}

/// The first whose conditions all hold is followed.
#[derive(Debug, Default)]
pub(crate) struct Rules(pub(crate) Vec<Rule>);

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) when: Vec<Is>,
    pub(crate) then: Vec<Then>,
    decision: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    At(Var, u8),
    Not(Var, u8),
    Over(Var, u8),
    Landscape,
    Foreign,
    Offline,
    Text(Typed, Kind),
}

/// What a text is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Empty,
    Number,
    Address,
    Quote,
    Long,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Then {
    Set(Var, u8),
    /// One more, up to the most.
    Add(Var, u8),
    Flip(Var),
    Open(u8),
    Close,
    Ask(u8),
    /// Milliseconds, and the number of the rules in `Screen::later`. Gone with its activity.
    Later(u64, u8),
    /// The same, and its activity's end does not stop it.
    Haunt(u64, u8),
    Unpost,
    /// Something from the network: what follows if it comes, and if it does not.
    Load(u8, u8),
    Leave(Elsewhere),
    Block(u64, &'static Stall),
    Throw(&'static Exception, &'static str),
    Signal(&'static Tombstone),
}

/// What a plan's variables and texts are at a moment.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct State {
    kept: Vec<u8>,
    memory: Vec<u8>,
    inert: Shown<Vec<u8>>,
    texts: Vec<Text>,
    inert_texts: Shown<Vec<Text>>,
}

/// One of a plan's activities.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Page {
    pub(crate) screen: u8,
    /// The number of the dialog that is up.
    asks: Option<u8>,
}

impl Page {
    pub(crate) fn of(screen: u8) -> Page {
        Page { screen, asks: None }
    }
}

#[derive(Clone, Debug, Hash)]
pub(crate) enum Msg {
    Tap(u16),
    Long(u16),
    Row(u16, u8),
    /// The end of a list was reached.
    More(u16),
    Edit(u8, Text),
    EditInert(u8, Text),
    Menu(u8),
    Answer(u8),
    Cancel,
    Later(u8),
    Haunt {
        screen: u8,
        number: u8,
    },
    Loaded(u8, u8),
}

impl State {
    /// Equal for states in which a page is drawn the same way but for the switches that have the first variables of no
    /// consequence, so many of them.
    fn look(&self, page: &Page, switches: usize) -> u64 {
        let others = self.inert.0.get(switches..).unwrap_or_default();
        let values = [&self.kept, &self.memory, others].into_iter();
        let texts = self
            .texts
            .iter()
            .chain(&self.inert_texts.0)
            .map(|text| text.as_bytes());
        let asks = page.asks.map_or(0, |number| u64::from(number) + 1);
        let counts = (self.texts.len() as u64) << 32 | asks << 8 | u64::from(page.screen);
        values
            .chain(texts)
            .fold(counts, |hash, bytes| xxh3_64_with_seed(bytes, hash))
    }

    pub(crate) fn get(&self, var: Var) -> u8 {
        let (values, place) = match var {
            Var::Kept(place) => (&self.kept, place.into()),
            Var::Memory(place) => (&self.memory, place.into()),
            Var::Inert(place) => (&self.inert.0, usize::from(place)),
        };
        values.get(place).copied().unwrap_or_default()
    }

    fn set(&mut self, var: Var, value: u8) {
        let (values, place) = match var {
            Var::Kept(place) => (&mut self.kept, place.into()),
            Var::Memory(place) => (&mut self.memory, place.into()),
            Var::Inert(place) => (&mut self.inert.0, usize::from(place)),
        };
        if place >= values.len() {
            values.resize(place + 1, 0);
        }
        values[place] = value;
        // Two states that mean the same are the same.
        while values.last() == Some(&0) {
            values.pop();
        }
    }

    fn text(&self, field: Typed) -> &Text {
        const NOTHING: &Text = &Text::new_static("");
        let found = match field {
            Typed::Kept(place) => self.texts.get(usize::from(place)),
            Typed::Inert(place) => self.inert_texts.0.get(usize::from(place)),
        };
        found.unwrap_or(NOTHING)
    }

    fn type_into(&mut self, field: Typed, text: Text) {
        let (texts, place) = match field {
            Typed::Kept(place) => (&mut self.texts, usize::from(place)),
            Typed::Inert(place) => (&mut self.inert_texts.0, usize::from(place)),
        };
        if place >= texts.len() {
            texts.resize(place + 1, Text::default());
        }
        texts[place] = text;
        while texts.last().is_some_and(Text::is_empty) {
            texts.pop();
        }
    }

    /// The process ended.
    pub(crate) fn died(&mut self) {
        self.memory.clear();
    }
}

impl Plan {
    /// Everything that can go wrong, each once.
    pub(crate) fn failures(&self) -> Vec<Then> {
        let mut failures: Vec<Then> = Vec::new();
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

    fn rules(&self) -> impl Iterator<Item = &Rules> {
        self.screens.iter().flat_map(|screen| {
            let widgets = screen.widgets.iter().chain(&screen.menu);
            let touched = widgets.flat_map(|widget| [&widget.tap, &widget.long]);
            let answers = screen
                .dialogs
                .iter()
                .flat_map(|dialog| &dialog.buttons)
                .map(|(_, rules)| rules);
            let hooks = screen.hooks.iter().map(|(_, rules)| rules);
            touched.chain(answers).chain(hooks).chain(&screen.later)
        })
    }
}

impl Then {
    fn fails(&self) -> bool {
        matches!(self, Then::Throw(..) | Then::Signal(_) | Then::Block(..))
    }

    pub(crate) fn is_same_failure(&self, other: &Then) -> bool {
        match (self, other) {
            (Then::Throw(one, _), Then::Throw(other, _)) => std::ptr::eq(*one, *other),
            (Then::Signal(one), Then::Signal(other)) => std::ptr::eq(*one, *other),
            (Then::Block(_, one), Then::Block(_, other)) => std::ptr::eq(*one, *other),
            _ => false,
        }
    }

    /// Whether a problem is what became of it.
    pub(crate) fn is_in(&self, problem: &Problem) -> bool {
        let has = |frame: &str| problem.stack.contains(frame);
        match self {
            Then::Throw(exception, _) => exception.frames.iter().all(|frame| has(frame)),
            Then::Signal(tombstone) => tombstone.frames.iter().all(|(name, _)| has(name)),
            Then::Block(_, stall) => stall.frames.iter().all(|frame| has(frame)),
            _ => false,
        }
    }

    /// Where it happens.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Then::Throw(exception, _) => exception.frames.first().copied().unwrap_or_default(),
            Then::Signal(tombstone) => tombstone.called_from,
            Then::Block(_, stall) => stall.frames.first().copied().unwrap_or_default(),
            _ => "",
        }
    }
}

impl Kind {
    fn fits(self, text: &str) -> bool {
        match self {
            Kind::Empty => text.is_empty(),
            Kind::Number => !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit()),
            Kind::Address => text.contains('@'),
            Kind::Quote => text.contains('\''),
            Kind::Long => text.chars().count() > 60,
        }
    }
}
