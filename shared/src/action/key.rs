//! Keys by name: a few that people know, and Android's `KeyEvent.KEYCODE_*` for all others.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A key by name if people know it, by Android's key code otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// `KEYCODE_BACK`.
    Back,
    /// `KEYCODE_HOME`.
    Home,
    /// `KEYCODE_MENU`.
    Menu,
    /// `KEYCODE_ENTER`.
    Enter,
    /// `KEYCODE_DEL`: backspace.
    Delete,
    /// Any key by its code, one of `key_code`.
    Code(u16),
}

/// The text is neither a key's name nor a key code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key; write a name such as `KEYCODE_BACK`, or a key code")]
pub struct ParseKeyError(pub String);

impl Key {
    const NAMED: [Key; 5] = [Key::Back, Key::Home, Key::Menu, Key::Enter, Key::Delete];

    /// Android's key code.
    pub fn code(self) -> u16 {
        match self {
            Key::Back => key_code::BACK,
            Key::Home => key_code::HOME,
            Key::Menu => key_code::MENU,
            Key::Enter => key_code::ENTER,
            Key::Delete => key_code::DEL,
            Key::Code(code) => code,
        }
    }

    /// The key of this code, by its name if it has one.
    pub fn of_code(code: u16) -> Key {
        Key::NAMED
            .into_iter()
            .find(|key| key.code() == code)
            .unwrap_or(Key::Code(code))
    }
}

/// Parses `KEYCODE_BACK`, `BACK` or a key code. A bare number is a key code, never the name of a digit's key.
impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Key, ParseKeyError> {
        let code = text.parse().ok();
        code.or_else(|| key_code::of_name(text))
            .map(Key::of_code)
            .ok_or_else(|| ParseKeyError(text.to_owned()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Back => f.write_str("back"),
            Key::Home => f.write_str("home"),
            Key::Menu => f.write_str("menu"),
            Key::Enter => f.write_str("enter"),
            Key::Delete => f.write_str("delete"),
            Key::Code(code) => match key_code::name(*code) {
                Some(name) => f.write_str(name),
                None => write!(f, "{code}"),
            },
        }
    }
}

/// Declares a constant per key code, and the lookup in both directions. A name that is no Rust identifier follows in
/// quotes.
macro_rules! key_codes {
    ($($constant:ident $($name:literal)? = $code:literal,)*) => {
        const NAMES: &[(u16, &str)] = &[
            $(($code, key_codes!(@name $constant $($name)?)),)*
        ];

        $(
            #[doc = concat!("`", key_codes!(@name $constant $($name)?), "`.")]
            pub const $constant: u16 = $code;
        )*
    };
    (@name $constant:ident $name:literal) => { concat!("KEYCODE_", $name) };
    (@name $constant:ident) => { concat!("KEYCODE_", stringify!($constant)) };
}

/// Android's key codes, `KeyEvent.KEYCODE_*` of API level 35.
pub mod key_code {
    /// The code of a key by its name, with or without `KEYCODE_`.
    pub fn of_name(name: &str) -> Option<u16> {
        let is_called = |full: &str| {
            full == name || full.strip_prefix("KEYCODE_").is_some_and(|end| end == name)
        };
        let entry = NAMES.iter().find(|(_, full)| is_called(full));
        entry.map(|(code, _)| *code)
    }

    /// The name of a key code, such as `KEYCODE_VOLUME_UP`.
    pub fn name(code: u16) -> Option<&'static str> {
        let place = NAMES.binary_search_by_key(&code, |(code, _)| *code);
        place.ok().map(|place| NAMES[place].1)
    }

    key_codes! {
        UNKNOWN = 0, SOFT_LEFT = 1, SOFT_RIGHT = 2, HOME = 3, BACK = 4, CALL = 5, ENDCALL = 6, DIGIT_0 "0" = 7,
        DIGIT_1 "1" = 8, DIGIT_2 "2" = 9, DIGIT_3 "3" = 10, DIGIT_4 "4" = 11, DIGIT_5 "5" = 12, DIGIT_6 "6" = 13,
        DIGIT_7 "7" = 14, DIGIT_8 "8" = 15, DIGIT_9 "9" = 16, STAR = 17, POUND = 18, DPAD_UP = 19, DPAD_DOWN = 20,
        DPAD_LEFT = 21, DPAD_RIGHT = 22, DPAD_CENTER = 23, VOLUME_UP = 24, VOLUME_DOWN = 25, POWER = 26, CAMERA = 27,
        CLEAR = 28, A = 29, B = 30, C = 31, D = 32, E = 33, F = 34, G = 35, H = 36, I = 37, J = 38, K = 39, L = 40,
        M = 41, N = 42, O = 43, P = 44, Q = 45, R = 46, S = 47, T = 48, U = 49, V = 50, W = 51, X = 52, Y = 53, Z = 54,
        COMMA = 55, PERIOD = 56, ALT_LEFT = 57, ALT_RIGHT = 58, SHIFT_LEFT = 59, SHIFT_RIGHT = 60, TAB = 61, SPACE = 62,
        SYM = 63, EXPLORER = 64, ENVELOPE = 65, ENTER = 66, DEL = 67, GRAVE = 68, MINUS = 69, EQUALS = 70,
        LEFT_BRACKET = 71, RIGHT_BRACKET = 72, BACKSLASH = 73, SEMICOLON = 74, APOSTROPHE = 75, SLASH = 76, AT = 77,
        NUM = 78, HEADSETHOOK = 79, FOCUS = 80, PLUS = 81, MENU = 82, NOTIFICATION = 83, SEARCH = 84,
        MEDIA_PLAY_PAUSE = 85, MEDIA_STOP = 86, MEDIA_NEXT = 87, MEDIA_PREVIOUS = 88, MEDIA_REWIND = 89,
        MEDIA_FAST_FORWARD = 90, MUTE = 91, PAGE_UP = 92, PAGE_DOWN = 93, PICTSYMBOLS = 94, SWITCH_CHARSET = 95,
        BUTTON_A = 96, BUTTON_B = 97, BUTTON_C = 98, BUTTON_X = 99, BUTTON_Y = 100, BUTTON_Z = 101, BUTTON_L1 = 102,
        BUTTON_R1 = 103, BUTTON_L2 = 104, BUTTON_R2 = 105, BUTTON_THUMBL = 106, BUTTON_THUMBR = 107, BUTTON_START = 108,
        BUTTON_SELECT = 109, BUTTON_MODE = 110, ESCAPE = 111, FORWARD_DEL = 112, CTRL_LEFT = 113, CTRL_RIGHT = 114,
        CAPS_LOCK = 115, SCROLL_LOCK = 116, META_LEFT = 117, META_RIGHT = 118, FUNCTION = 119, SYSRQ = 120, BREAK = 121,
        MOVE_HOME = 122, MOVE_END = 123, INSERT = 124, FORWARD = 125, MEDIA_PLAY = 126, MEDIA_PAUSE = 127,
        MEDIA_CLOSE = 128, MEDIA_EJECT = 129, MEDIA_RECORD = 130, F1 = 131, F2 = 132, F3 = 133, F4 = 134, F5 = 135,
        F6 = 136, F7 = 137, F8 = 138, F9 = 139, F10 = 140, F11 = 141, F12 = 142, NUM_LOCK = 143, NUMPAD_0 = 144,
        NUMPAD_1 = 145, NUMPAD_2 = 146, NUMPAD_3 = 147, NUMPAD_4 = 148, NUMPAD_5 = 149, NUMPAD_6 = 150, NUMPAD_7 = 151,
        NUMPAD_8 = 152, NUMPAD_9 = 153, NUMPAD_DIVIDE = 154, NUMPAD_MULTIPLY = 155, NUMPAD_SUBTRACT = 156,
        NUMPAD_ADD = 157, NUMPAD_DOT = 158, NUMPAD_COMMA = 159, NUMPAD_ENTER = 160, NUMPAD_EQUALS = 161,
        NUMPAD_LEFT_PAREN = 162, NUMPAD_RIGHT_PAREN = 163, VOLUME_MUTE = 164, INFO = 165, CHANNEL_UP = 166,
        CHANNEL_DOWN = 167, ZOOM_IN = 168, ZOOM_OUT = 169, TV = 170, WINDOW = 171, GUIDE = 172, DVR = 173, BOOKMARK = 174,
        CAPTIONS = 175, SETTINGS = 176, TV_POWER = 177, TV_INPUT = 178, STB_POWER = 179, STB_INPUT = 180, AVR_POWER = 181,
        AVR_INPUT = 182, PROG_RED = 183, PROG_GREEN = 184, PROG_YELLOW = 185, PROG_BLUE = 186, APP_SWITCH = 187,
        BUTTON_1 = 188, BUTTON_2 = 189, BUTTON_3 = 190, BUTTON_4 = 191, BUTTON_5 = 192, BUTTON_6 = 193, BUTTON_7 = 194,
        BUTTON_8 = 195, BUTTON_9 = 196, BUTTON_10 = 197, BUTTON_11 = 198, BUTTON_12 = 199, BUTTON_13 = 200,
        BUTTON_14 = 201, BUTTON_15 = 202, BUTTON_16 = 203, LANGUAGE_SWITCH = 204, MANNER_MODE = 205,
        DIGIT_3D_MODE "3D_MODE" = 206, CONTACTS = 207, CALENDAR = 208, MUSIC = 209, CALCULATOR = 210,
        ZENKAKU_HANKAKU = 211, EISU = 212, MUHENKAN = 213, HENKAN = 214, KATAKANA_HIRAGANA = 215, YEN = 216, RO = 217,
        KANA = 218, ASSIST = 219, BRIGHTNESS_DOWN = 220, BRIGHTNESS_UP = 221, MEDIA_AUDIO_TRACK = 222, SLEEP = 223,
        WAKEUP = 224, PAIRING = 225, MEDIA_TOP_MENU = 226, DIGIT_11 "11" = 227, DIGIT_12 "12" = 228, LAST_CHANNEL = 229,
        TV_DATA_SERVICE = 230, VOICE_ASSIST = 231, TV_RADIO_SERVICE = 232, TV_TELETEXT = 233, TV_NUMBER_ENTRY = 234,
        TV_TERRESTRIAL_ANALOG = 235, TV_TERRESTRIAL_DIGITAL = 236, TV_SATELLITE = 237, TV_SATELLITE_BS = 238,
        TV_SATELLITE_CS = 239, TV_SATELLITE_SERVICE = 240, TV_NETWORK = 241, TV_ANTENNA_CABLE = 242,
        TV_INPUT_HDMI_1 = 243, TV_INPUT_HDMI_2 = 244, TV_INPUT_HDMI_3 = 245, TV_INPUT_HDMI_4 = 246,
        TV_INPUT_COMPOSITE_1 = 247, TV_INPUT_COMPOSITE_2 = 248, TV_INPUT_COMPONENT_1 = 249, TV_INPUT_COMPONENT_2 = 250,
        TV_INPUT_VGA_1 = 251, TV_AUDIO_DESCRIPTION = 252, TV_AUDIO_DESCRIPTION_MIX_UP = 253,
        TV_AUDIO_DESCRIPTION_MIX_DOWN = 254, TV_ZOOM_MODE = 255, TV_CONTENTS_MENU = 256, TV_MEDIA_CONTEXT_MENU = 257,
        TV_TIMER_PROGRAMMING = 258, HELP = 259, NAVIGATE_PREVIOUS = 260, NAVIGATE_NEXT = 261, NAVIGATE_IN = 262,
        NAVIGATE_OUT = 263, STEM_PRIMARY = 264, STEM_1 = 265, STEM_2 = 266, STEM_3 = 267, DPAD_UP_LEFT = 268,
        DPAD_DOWN_LEFT = 269, DPAD_UP_RIGHT = 270, DPAD_DOWN_RIGHT = 271, MEDIA_SKIP_FORWARD = 272,
        MEDIA_SKIP_BACKWARD = 273, MEDIA_STEP_FORWARD = 274, MEDIA_STEP_BACKWARD = 275, SOFT_SLEEP = 276, CUT = 277,
        COPY = 278, PASTE = 279, SYSTEM_NAVIGATION_UP = 280, SYSTEM_NAVIGATION_DOWN = 281, SYSTEM_NAVIGATION_LEFT = 282,
        SYSTEM_NAVIGATION_RIGHT = 283, ALL_APPS = 284, REFRESH = 285, THUMBS_UP = 286, THUMBS_DOWN = 287,
        PROFILE_SWITCH = 288, VIDEO_APP_1 = 289, VIDEO_APP_2 = 290, VIDEO_APP_3 = 291, VIDEO_APP_4 = 292,
        VIDEO_APP_5 = 293, VIDEO_APP_6 = 294, VIDEO_APP_7 = 295, VIDEO_APP_8 = 296, FEATURED_APP_1 = 297,
        FEATURED_APP_2 = 298, FEATURED_APP_3 = 299, FEATURED_APP_4 = 300, DEMO_APP_1 = 301, DEMO_APP_2 = 302,
        DEMO_APP_3 = 303, DEMO_APP_4 = 304, KEYBOARD_BACKLIGHT_DOWN = 305, KEYBOARD_BACKLIGHT_UP = 306,
        KEYBOARD_BACKLIGHT_TOGGLE = 307, STYLUS_BUTTON_PRIMARY = 308, STYLUS_BUTTON_SECONDARY = 309,
        STYLUS_BUTTON_TERTIARY = 310, STYLUS_BUTTON_TAIL = 311, RECENT_APPS = 312, MACRO_1 = 313, MACRO_2 = 314,
        MACRO_3 = 315, MACRO_4 = 316, EMOJI_PICKER = 317, SCREENSHOT = 318,
    }

    #[cfg(test)]
    pub(super) fn all() -> &'static [(u16, &'static str)] {
        NAMES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_codes_are_numbered_without_a_gap_from_zero() {
        let codes = key_code::all().iter().map(|(code, _)| *code);
        assert!(codes.eq(0..=key_code::SCREENSHOT));
    }

    #[test]
    fn every_key_is_shown_by_name_and_read_by_name_or_number() {
        assert_eq!(
            Key::Code(key_code::VOLUME_UP).to_string(),
            "KEYCODE_VOLUME_UP"
        );
        assert_eq!(Key::Code(7).to_string(), "KEYCODE_0");
        assert_eq!(Key::Back.to_string(), "back");
        assert_eq!(Key::Code(999).to_string(), "999");
        for (code, name) in key_code::all() {
            assert_eq!(name.parse(), Ok(Key::of_code(*code)), "{name}");
            assert_eq!(key_code::name(*code), Some(*name));
        }
        assert_eq!("VOLUME_UP".parse(), Ok(Key::Code(24)));
        assert_eq!("24".parse(), Ok(Key::Code(24)));
        assert_eq!("4".parse(), Ok(Key::Back));
        assert_eq!("KEYCODE_4".parse(), Ok(Key::Code(key_code::DIGIT_4)));
        assert_eq!("KEYCODE_BACK".parse(), Ok(Key::Back));
        for wrong in ["", "KEYCODE_", "back", "KEYCODE_NOTHING", "-1", "65536"] {
            assert_eq!(wrong.parse::<Key>(), Err(ParseKeyError(wrong.into())));
        }
    }
}
