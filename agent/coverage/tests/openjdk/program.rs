//! The test program in a Java VM with the library: compiled once, driven line by line over its input.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use retap_agent::coverage::CoverageReader;

/// Classes of the large program, and methods of each.
const LARGE_CLASSES: usize = 100;
const LARGE_METHODS: usize = 102;
/// Methods that the large program has: a class `All`, and each class its constructor, `run` and the methods.
pub(crate) const LARGE_TOTAL: usize = LARGE_CLASSES * (LARGE_METHODS + 2) + 2;
/// Attempts to reach the library: it listens soon after the program has started.
const ATTEMPTS: u32 = 60_000;

pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub(crate) coverage: CoverageReader,
    pub(crate) socket: String,
}

impl Program {
    /// Starts the program with the library, and further options of it.
    pub(crate) fn start(options: &str) -> Program {
        Program::start_with(options, &["-Xcheck:jni"])
    }

    /// The same, with options of the VM before it.
    pub(crate) fn start_with(options: &str, java: &[&str]) -> Program {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = format!("retap-coverage-test-{}-{count}", std::process::id());
        Program::start_at(&socket, options, java)
    }

    pub(crate) fn start_at(socket: &str, options: &str, java: &[&str]) -> Program {
        let library = library();
        let mut child = Command::new("java")
            .args(java)
            .arg(format!(
                "-agentpath:{}=socket={socket}{options}",
                library.display()
            ))
            .arg("-cp")
            .arg(classes())
            .arg("example.Subject")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = Program {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            coverage: CoverageReader::new(socket),
            socket: socket.to_owned(),
        };
        assert_eq!(program.line(), "ready");
        program
    }

    /// Waits until the library answers, and takes what ran so far.
    pub(crate) fn connected(mut self) -> Program {
        self.does("nothing");
        for _ in 0..ATTEMPTS {
            if self.coverage.take().unwrap().is_complete {
                return self;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the library does not listen");
    }

    /// Lets the program do something; returns what was covered, in order of the names.
    pub(crate) fn covers(&mut self, what: &str) -> Vec<String> {
        self.does(what);
        self.take()
    }

    pub(crate) fn does(&mut self, what: &str) {
        self.say(what);
        assert_eq!(self.line(), "done");
    }

    pub(crate) fn say(&mut self, what: &str) {
        writeln!(self.input.as_mut().unwrap(), "{what}").unwrap();
    }

    pub(crate) fn take(&mut self) -> Vec<String> {
        let taken = self.coverage.take().unwrap();
        self.names(&taken.numbers)
    }

    /// `Class.method`, and `:line` for lines; packages are left out.
    pub(crate) fn names(&self, numbers: &[u32]) -> Vec<String> {
        let name = |number: &u32| {
            let item = &self.coverage.items()[number];
            let class = item.class.rsplit('/').next().unwrap();
            let mut name = format!("{class}.{}", item.method);
            if item.line != 0 {
                write!(name, ":{}", item.line).unwrap();
            }
            name
        };
        let mut names: Vec<_> = numbers.iter().map(name).collect();
        names.sort();
        names
    }

    /// Ends the program; its exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Beside the tests, where cargo has built it.
pub(crate) fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.with_file_name("libretap_coverage.so")
}

/// The compiled classes, with the jar of the program that redefines a class.
pub(crate) fn classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    CLASSES.get_or_init(compile).path()
}

fn compile() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    let large = folder.path().join("All.java");
    std::fs::write(&large, large_source()).unwrap();
    let javac = |arguments: &[&str], files: &[PathBuf]| {
        let mut command = Command::new("javac");
        command.args(arguments).arg("-d").arg(folder.path());
        assert!(command.args(files).status().unwrap().success());
    };
    let programs = ["Subject.java", "Redefine.java"].map(|name| sources.join(name));
    javac(&[], &programs);
    javac(&["-g:none"], &[sources.join("Bare.java")]);
    javac(&[], &[large]);
    let manifest = folder.path().join("manifest");
    std::fs::write(
        &manifest,
        "Premain-Class: example.Redefine\nCan-Redefine-Classes: true\n",
    )
    .unwrap();
    let jar = Command::new("jar")
        .args(["cfm", "redefine.jar", "manifest", "example/Redefine.class"])
        .current_dir(folder.path())
        .status();
    assert!(jar.unwrap().success());
    folder
}

/// A program of more than 10,000 methods, of which all run.
fn large_source() -> String {
    let mut text = String::from("package large;\npublic class All { public static void run() {\n");
    for class in 0..LARGE_CLASSES {
        writeln!(text, "new C{class}().run();").unwrap();
    }
    text.push_str("} }\n");
    for class in 0..LARGE_CLASSES {
        write!(text, "class C{class} {{ int sum; void run() {{").unwrap();
        for method in 0..LARGE_METHODS {
            write!(text, " m{method}();").unwrap();
        }
        text.push_str(" }\n");
        for method in 0..LARGE_METHODS {
            writeln!(text, "void m{method}() {{ sum += {method}; }}").unwrap();
        }
        text.push_str("}\n");
    }
    text
}
