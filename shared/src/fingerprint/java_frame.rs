//! Java and Kotlin frames: the app's or the framework's, and their names without the counters of compilers.

/// Packages of the system and its libraries.
const FRAMEWORK: &[&str] = &[
    "_COROUTINE.",
    "android.",
    "androidx.",
    "com.android.",
    "com.google.android.",
    "dalvik.",
    "java.",
    "javax.",
    "jdk.",
    "junit.",
    "kotlin.",
    "kotlinx.",
    "libcore.",
    "org.apache.harmony.",
    "org.json.",
    "org.junit.",
    "org.xml.sax.",
    "org.xmlpull.",
    "org.w3c.dom.",
    "sun.",
];

/// Methods that call what was posted to a thread: they stand below any crash at all.
const MAIN_LOOP: &[(&str, &str)] = &[
    ("android.app.ActivityThread", "main"),
    ("android.os.Handler", "dispatchMessage"),
    ("android.os.Handler", "handleCallback"),
    ("android.os.HandlerThread", "run"),
    ("android.os.Looper", "loop"),
    ("android.os.Looper", "loopOnce"),
    (
        "com.android.internal.os.RuntimeInit$MethodAndArgsCaller",
        "run",
    ),
    ("com.android.internal.os.ZygoteInit", "main"),
    (
        "com.android.internal.os.ZygoteInit$MethodAndArgsCaller",
        "run",
    ),
    ("dalvik.system.NativeStart", "main"),
    ("java.lang.Thread", "run"),
    ("java.lang.reflect.Method", "invoke"),
    ("java.util.concurrent.FutureTask", "run"),
    ("java.util.concurrent.ThreadPoolExecutor", "runWorker"),
    ("java.util.concurrent.ThreadPoolExecutor$Worker", "run"),
];

/// One `at` line of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JavaFrame<'a> {
    class: &'a str,
    name: &'a str,
    line: Option<&'a str>,
}

impl<'a> JavaFrame<'a> {
    /// Parses `at com.example.Main.onClick(Main.java:12)`, with or without a module before the class.
    pub(super) fn parse(line: &'a str) -> Option<JavaFrame<'a>> {
        let frame = line.trim_start().strip_prefix("at ")?.trim_start();
        let (method, source) = frame.split_once('(').unwrap_or((frame, ""));
        let (class, name) = without_module(method.trim_end()).rsplit_once('.')?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        if !is_name(class) || !is_name(name) {
            return None;
        }
        let number = source
            .split_once(')')
            .and_then(|(source, _)| source.rsplit_once(':'))
            .map(|(_, line)| line.trim());
        let line = number
            .filter(|line| !line.is_empty() && line.bytes().all(|digit| digit.is_ascii_digit()));
        Some(JavaFrame { class, name, line })
    }

    /// A method given as `package.Class.method`, as native backtraces name it.
    pub(super) fn named(method: &'a str) -> Option<JavaFrame<'a>> {
        let (class, name) = method.rsplit_once('.')?;
        Some(JavaFrame {
            class,
            name,
            line: None,
        })
    }

    /// True if the class is not the framework's, or if it lies in the app's own package. Libraries count as the app's.
    pub(super) fn is_of_app(&self, process: &str) -> bool {
        let package = process.split(':').next().unwrap_or_default();
        let below_package = self
            .class
            .strip_prefix(package)
            .is_some_and(|rest| rest.starts_with('.'));
        if below_package && package.contains('.') {
            return true;
        }
        let of_framework = FRAMEWORK
            .iter()
            .any(|prefix| self.class.starts_with(prefix));
        !of_framework && generated_class(self.class).is_none()
    }

    pub(super) fn is_of_main_loop(&self) -> bool {
        MAIN_LOOP.contains(&(self.class, self.name))
    }

    /// The method by its class and name, without counters of compilers.
    pub(super) fn method(&self) -> String {
        format!("{}.{}", plain_class(self.class), plain_method(self.name))
    }

    /// The method with its line. Synthetic methods have no line.
    pub(super) fn method_and_line(&self) -> String {
        let name = self.method();
        match self.line.filter(|_| !self.is_synthetic()) {
            Some(line) => format!("{name}:{line}"),
            None => name,
        }
    }

    /// True for a method that a compiler made: a bridge, an accessor, an outline, the class of a lambda.
    pub(super) fn is_synthetic(&self) -> bool {
        let in_class = ["$$Lambda", "$$ExternalSynthetic", "$$InternalSynthetic"]
            .iter()
            .any(|mark| self.class.contains(mark));
        let in_name = ["access$", "$r8$", "-"]
            .iter()
            .any(|mark| self.name.starts_with(mark));
        in_class || in_name || generated_class(self.class).is_some()
    }
}

/// The method without `java.base/`, `java.base@17/` or `app//`. A slash in a lambda's class name is not a module's.
fn without_module(method: &str) -> &str {
    match method.rfind('/') {
        Some(slash) if !method[..slash].contains("$$Lambda") => &method[slash + 1..],
        _ => method,
    }
}

/// `Main$$ExternalSyntheticLambda3` → `Main$$ExternalSyntheticLambda`, `-$$Lambda$Main$x7Yz` → `-$$Lambda`.
fn plain_class(class: &str) -> String {
    if let Some((before, _)) = class.split_once("$$Lambda") {
        return format!("{before}$$Lambda");
    }
    if let Some(start) = class.find("$$ExternalSynthetic") {
        let digit = class[start..].find(|letter: char| letter.is_ascii_digit());
        return class[..digit.map_or(class.len(), |digit| start + digit)].to_owned();
    }
    generated_class(class).map_or_else(|| without_lambda_counters(class), str::to_owned)
}

/// The name of a proxy or of an accessor of reflection, without its counter.
fn generated_class(class: &str) -> Option<&str> {
    let plain = class.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let name = plain.rsplit('.').next().unwrap_or_default();
    let is_generated = matches!(
        name,
        "$Proxy" | "GeneratedMethodAccessor" | "GeneratedConstructorAccessor"
    );
    (is_generated && plain.len() < class.len()).then_some(plain)
}

/// `lambda$onCreate$0` → `lambda$onCreate`, `onCreate$lambda$2` → `onCreate$lambda`, `access$000` → `access`.
fn plain_method(name: &str) -> String {
    if name.starts_with("$r8$lambda$") {
        return "$r8$lambda".to_owned();
    }
    if let Some(lambda) = name.strip_prefix("lambda$") {
        // Desugared lambdas repeat their class after the counter.
        return format!("lambda${}", lambda.split('$').next().unwrap_or_default());
    }
    for counted in ["access$", "-wrap", "-get", "-set"] {
        let number = name.strip_prefix(counted);
        if number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit())) {
            return counted.trim_end_matches('$').to_owned();
        }
    }
    without_lambda_counters(name)
}

fn without_lambda_counters(name: &str) -> String {
    let mut parts = name.split("$lambda");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("$lambda");
        let number = part.strip_prefix(['$', '-']).unwrap_or(part);
        let after = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
        plain.push_str(if after.len() < number.len() {
            after
        } else {
            part
        });
    }
    plain
}
