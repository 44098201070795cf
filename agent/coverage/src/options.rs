//! What the library is told when it is loaded: `socket=NAME,mode=lines,loader=CLASS,leave=PREFIX:PREFIX`.

/// Options of the library, after `=` in `-agentpath`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoverageOptions {
    /// Name of the abstract socket to listen on.
    pub(crate) socket: String,
    /// Lines are noted too, not only methods.
    pub(crate) lines: bool,
    /// Only classes of loaders of this class, as `com/example/Loader`. Default: all but the system's own.
    pub(crate) loader: Option<String>,
    /// Beginnings of names of classes that are left out, as `androidx/`.
    pub(crate) leave: Vec<String>,
}

impl CoverageOptions {
    /// Parses the options; the error is for the VM's log.
    pub(crate) fn parse(text: &str) -> Result<CoverageOptions, String> {
        let mut options = CoverageOptions {
            socket: String::new(),
            lines: false,
            loader: None,
            leave: Vec::new(),
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("socket", name)) => options.socket = name.to_owned(),
                Some(("mode", "methods")) => options.lines = false,
                Some(("mode", "lines")) => options.lines = true,
                Some(("loader", class)) => options.loader = Some(class.to_owned()),
                Some(("leave", prefixes)) => {
                    options.leave = prefixes.split(':').map(str::to_owned).collect();
                    options.leave.retain(|prefix| !prefix.is_empty());
                }
                _ => {
                    return Err(format!(
                        "`{part}` is not an option; options are socket=NAME, mode=methods, mode=lines, loader=CLASS, \
                         leave=PREFIX:PREFIX"
                    ));
                }
            }
        }
        match options.socket.is_empty() || options.socket.len() > 100 {
            true => Err("the option socket=NAME is needed, with at most 100 bytes".to_owned()),
            false => Ok(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_the_socket_the_mode_and_the_classes() {
        let options = CoverageOptions::parse("socket=x,mode=lines,loader=a/L,leave=b/:c/").unwrap();
        assert_eq!(
            options,
            CoverageOptions {
                socket: "x".to_owned(),
                lines: true,
                loader: Some("a/L".to_owned()),
                leave: vec!["b/".to_owned(), "c/".to_owned()],
            }
        );
    }

    #[test]
    fn options_that_are_unknown_or_lack_the_socket_are_refused() {
        for text in ["", "mode=lines", "socket=", "socket=x,mode=all", "nonsense"] {
            assert!(CoverageOptions::parse(text).is_err(), "{text}");
        }
        assert!(CoverageOptions::parse(&format!("socket={}", "x".repeat(101))).is_err());
    }
}
