//! Planted crashes of this app, and the shortest trace to each.

use retap_shared::Text;
use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

use crate::framework::{Exception, FrameworkCaller, Stall, Tombstone};
use crate::planted_crash::ScriptedAction::{
    self, Back, Home, Launch, LongPress, Rotate, Tap, Taps, Type,
};
use crate::planted_crash::{LONG_TEXT, PlantedCrashScript};

const CALL: ScriptedAction = ScriptedAction::System(SystemEvent::Call);
const OFFLINE: ScriptedAction = ScriptedAction::System(SystemEvent::Offline);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);
const ARABIC: ScriptedAction = ScriptedAction::System(SystemEvent::Locale(Text::new_static("ar")));
const TURN: ScriptedAction = Rotate(Rotation::Left);

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "clear held",
        kind: FindingKind::Crash,
        shortest: &[LongPress("key_C")],
    },
    PlantedCrashScript {
        name: "divided by zero",
        kind: FindingKind::Crash,
        shortest: &[Taps("key_", "÷0=")],
    },
    PlantedCrashScript {
        name: "history not read",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("history"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    PlantedCrashScript {
        name: "units of another language",
        kind: FindingKind::Crash,
        shortest: &[Tap("More options"), Tap("converter"), Tap("length"), ARABIC],
    },
    PlantedCrashScript {
        name: "rates offline",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("converter"),
            Tap("currency"),
            OFFLINE,
            Tap("fetch"),
        ],
    },
    PlantedCrashScript {
        name: "interest too long",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("finance"),
            Type("rate", LONG_TEXT),
            Tap("compute"),
        ],
    },
    PlantedCrashScript {
        name: "point in a hexadecimal number",
        kind: FindingKind::Crash,
        shortest: &[
            Taps("key_", "31415="),
            Tap("More options"),
            Tap("programs"),
            Tap("hex"),
            Back,
            Tap("key_."),
        ],
    },
    PlantedCrashScript {
        name: "scientific sideways",
        kind: FindingKind::Crash,
        shortest: &[Taps("key_", "31415=271"), TURN],
    },
    PlantedCrashScript {
        name: "call in a program",
        kind: FindingKind::Crash,
        shortest: &[Taps("key_", "31415=27182="), CALL],
    },
    PlantedCrashScript {
        name: "program blocks",
        kind: FindingKind::Anr,
        shortest: &[
            Taps("key_", "31415=27182="),
            Tap("More options"),
            Tap("programs"),
            Tap("run"),
            Back,
        ],
    },
    PlantedCrashScript {
        name: "lights after the win",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("lights"),
            Taps("light_", "408213576240"),
            OFFLINE,
        ],
    },
    PlantedCrashScript {
        name: "overflow trimmed",
        kind: FindingKind::NativeCrash,
        shortest: &[Taps("key_", "31415=27182=16180="), LOW_MEMORY],
    },
    PlantedCrashScript {
        name: "levels at their end",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("lights"),
            Taps("light_", "408213576240"),
            Tap("on"),
            Taps("light_", "87143562"),
        ],
    },
    PlantedCrashScript {
        name: "matrix sideways",
        kind: FindingKind::NativeCrash,
        shortest: &[Taps("key_", "31415=27182=16180=42195="), TURN],
    },
];

pub(super) static HELD_CLEAR: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.calculator.Display.animator(Display.java:31)",
        "com.example.calculator.CalculatorActivity.onClearHeld(CalculatorActivity.java:140)",
    ],
    called_by: FrameworkCaller::LongClick,
    cause: None,
};

pub(super) static DIVIDED_BY_ZERO: Exception = Exception {
    class: "java.lang.ArithmeticException",
    frames: &[
        "java.math.BigInteger.divide(BigInteger.java:1204)",
        "com.example.calculator.Evaluator.divide(Evaluator.java:77)",
        "com.example.calculator.CalculatorActivity.onEquals(CalculatorActivity.java:118)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static HEX_POINT: Exception = Exception {
    class: "java.lang.NumberFormatException",
    frames: &[
        "java.lang.Long.parseLong(Long.java:594)",
        "com.example.calculator.programs.Hex.parse(Hex.kt:22)",
        "com.example.calculator.CalculatorActivity.onPoint(CalculatorActivity.java:131)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static SCIENTIFIC_SIDEWAYS: Exception = Exception {
    class: "android.view.InflateException",
    frames: &[
        "android.view.LayoutInflater.createView(LayoutInflater.java:696)",
        "com.example.calculator.CalculatorActivity.onCreate(CalculatorActivity.java:52)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static CALL_IN_PROGRAM: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.calculator.programs.Machine.pause(Machine.kt:64)",
        "com.example.calculator.CalculatorActivity.onPause(CalculatorActivity.java:88)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static LEVELS_AT_END: Exception = Exception {
    class: "java.lang.ArrayIndexOutOfBoundsException",
    frames: &[
        "com.example.calculator.lights.Levels.next(Levels.kt:40)",
        "com.example.calculator.lights.LightsActivity.onLight(LightsActivity.kt:77)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static LIGHTS_AFTER_WIN: Exception = Exception {
    class: "java.io.UncheckedIOException",
    frames: &[
        "com.example.calculator.lights.Scores.send(Scores.kt:51)",
        "com.example.calculator.lights.WonActivity$Receiver.onReceive(WonActivity.kt:29)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static HISTORY_NOT_READ: Exception = Exception {
    class: "android.database.StaleDataException",
    frames: &[
        "android.database.AbstractCursor.checkPosition(AbstractCursor.java:515)",
        "com.example.calculator.HistoryActivity.onCreate(HistoryActivity.java:44)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static INTEREST_TOO_LONG: Exception = Exception {
    class: "java.lang.NumberFormatException",
    frames: &[
        "java.lang.Double.parseDouble(Double.java:538)",
        "com.example.calculator.tools.FinanceActivity.onCompute(FinanceActivity.java:60)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static RATES_OFFLINE: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.calculator.tools.Rates.table(Rates.java:35)",
        "com.example.calculator.tools.CurrencyActivity.onFetch(CurrencyActivity.java:58)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static UNITS_OF_ANOTHER_LANGUAGE: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "java.util.TimSort.mergeLo(TimSort.java:777)",
        "com.example.calculator.tools.Units.sorted(Units.kt:18)",
        "com.example.calculator.tools.LengthActivity.onCreate(LengthActivity.kt:25)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static GRAPH_BLOCKS: Stall = Stall {
    frames: &[
        "java.math.BigDecimal.sqrt(BigDecimal.java:2171)",
        "com.example.calculator.programs.Machine.run(Machine.kt:102)",
        "com.example.calculator.programs.ProgramsActivity.onRun(ProgramsActivity.kt:37)",
    ],
};

pub(super) static OVERFLOW_TRIMMED: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)",
    library: "libprograms.so",
    frames: &[
        ("Stack::trim(unsigned long)", 52),
        ("Machine::low_memory()", 118),
    ],
    called_from: "com.example.calculator.programs.Machine.trim",
};

pub(super) static MATRIX_SIDEWAYS: Tombstone = Tombstone {
    signal: "signal 7 (SIGBUS), code 1 (BUS_ADRALN)",
    library: "libprograms.so",
    frames: &[
        ("Matrix::transpose()", 230),
        ("Machine::resize(int, int)", 76),
    ],
    called_from: "com.example.calculator.programs.Machine.resize",
};
