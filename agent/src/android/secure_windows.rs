//! Finds secure windows (FLAG_SECURE) in `dumpsys window windows`, because accessibility does not report them. The listing
//! is read when a window was opened or closed.

use std::collections::HashSet;
use std::io;
use std::process::Command;

use retap_shared::Text;

/// WindowManager.LayoutParams.FLAG_SECURE, in listings that print flags as a number.
const SECURE: u64 = 0x2000;

/// The packages with a secure window.
#[derive(Debug, Default)]
pub(crate) struct SecureWindows {
    listed_windows: Option<Vec<i32>>,
    packages: HashSet<Text>,
    /// True if the phone has no `dumpsys`: another search would take half a millisecond.
    is_unavailable: bool,
}

impl SecureWindows {
    /// The packages with a secure window. `windows` are the numbers of all current windows.
    pub(crate) fn packages(&mut self, windows: Vec<i32>) -> &HashSet<Text> {
        if !self.is_unavailable && self.listed_windows.as_ref() != Some(&windows) {
            let listing = list();
            self.is_unavailable = listing
                .as_ref()
                .is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            self.packages = listing
                .map(|listing| secure_packages(&listing))
                .unwrap_or_default();
            self.listed_windows = Some(windows);
        }
        &self.packages
    }
}

fn list() -> io::Result<String> {
    let output = Command::new("dumpsys")
        .args(["window", "windows"])
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn secure_packages(listing: &str) -> HashSet<Text> {
    let mut packages = HashSet::new();
    let mut package = None;
    for line in listing.lines().map(str::trim) {
        if line.starts_with("Window #") {
            package = line
                .split_once("Window{")
                .and_then(|(_, window)| package_of(window));
        } else if let Some(package) = package
            && flags_of(line).is_some_and(is_secure)
        {
            packages.insert(Text::new(package));
        }
    }
    packages
}

/// `4ba5c6f u0 com.example.app/com.example.app.Main}:` → `com.example.app`
fn package_of(window: &str) -> Option<&str> {
    let title = window.split(' ').nth(2)?;
    let (package, _) = title.split_once('/')?;
    Some(package)
}

/// The text after `fl=` in the window's attributes: names since Android 9, a number before.
fn flags_of(line: &str) -> Option<&str> {
    if let Some(flags) = line.strip_prefix("fl=") {
        return Some(flags);
    }
    let (_, flags) = line.strip_prefix("mAttrs=")?.split_once(" fl=")?;
    Some(flags)
}

fn is_secure(flags: &str) -> bool {
    let mut words = flags.split([' ', '}']);
    match flags.strip_prefix('#') {
        Some(_) => words
            .next()
            .and_then(|number| u64::from_str_radix(number.trim_start_matches('#'), 16).ok())
            .is_some_and(|number| number & SECURE != 0),
        None => words
            .take_while(|word| !word.contains('='))
            .any(|word| word == "SECURE"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secure_window_is_found_by_the_name_or_the_number_of_its_flag() {
        let by_name = "  Window #1 Window{4ba5c6f u0 com.bank/com.bank.Main}:\n    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION\n      fl=LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH\n      pfl=X}\n\
                       Window #2 Window{77 u0 com.open/com.open.Main}:\n    mAttrs={(0,0) ty=1\n      fl=LAYOUT_IN_SCREEN\n      pfl=SECURE}";
        assert_eq!(
            secure_packages(by_name),
            HashSet::from([Text::new("com.bank")])
        );
        let by_number = "Window #1 Window{1 u0 com.bank/com.bank.Main}:\n mAttrs=WM.LayoutParams{(0,0)(fillxfill) sim=#20 ty=1 fl=#81812100 wanim=0x1}\n\
                         Window #2 Window{2 u0 com.open/com.open.Main}:\n mAttrs=WM.LayoutParams{(0,0) ty=1 fl=#81810100}";
        assert_eq!(
            secure_packages(by_number),
            HashSet::from([Text::new("com.bank")])
        );
    }

    #[test]
    fn a_malformed_listing_has_no_secure_windows() {
        for listing in [
            "",
            "Window #",
            "Window #1 Window{",
            "fl=#",
            "mAttrs= fl=SECURE",
            "Window #1 Window{a b c}:\nfl=SECURE",
        ] {
            assert!(secure_packages(listing).is_empty(), "{listing:?}");
        }
    }
}
