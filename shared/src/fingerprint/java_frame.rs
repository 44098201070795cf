//! Java and Kotlin frames: whose they are, and their names without what compilers count up.

/// Packages of the system and of the libraries that come with it.
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

/// One `at` line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JavaFrame<'a> {
    class: &'a str,
    name: &'a str,
    line: Option<&'a str>,
}

impl<'a> JavaFrame<'a> {
    /// `at com.example.Main.onClick(Main.java:12)`, with or without a module in front.
    pub(super) fn parse(line: &'a str) -> Option<JavaFrame<'a>> {
        let frame = line.trim_start().strip_prefix("at ")?.trim_start();
        let (method, place) = frame.split_once('(').unwrap_or((frame, ""));
        let (class, name) = without_module(method.trim_end()).rsplit_once('.')?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        if !is_name(class) || !is_name(name) {
            return None;
        }
        let number = place
            .split_once(')')
            .and_then(|(place, _)| place.rsplit_once(':'))
            .map(|(_, line)| line.trim());
        let line = number
            .filter(|line| !line.is_empty() && line.bytes().all(|digit| digit.is_ascii_digit()));
        Some(JavaFrame { class, name, line })
    }

    /// A method by its whole name, as native backtraces have them.
    pub(super) fn named(method: &'a str) -> Option<JavaFrame<'a>> {
        let (class, name) = method.rsplit_once('.')?;
        Some(JavaFrame {
            class,
            name,
            line: None,
        })
    }

    /// What is not the system's is the app's, its libraries included; and what carries the app's own name always is.
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
        !of_framework && made_at_runtime(self.class).is_none()
    }

    /// With the line: two lines of one method are two bugs. What compilers made has no line of its own.
    pub(super) fn with_line(&self) -> String {
        let name = self.without_line();
        match self.line.filter(|_| !self.is_synthetic()) {
            Some(line) => format!("{name}:{line}"),
            None => name,
        }
    }

    pub(super) fn without_line(&self) -> String {
        format!("{}.{}", plain_class(self.class), plain_method(self.name))
    }

    fn is_synthetic(&self) -> bool {
        let in_class = ["$$Lambda", "$$ExternalSynthetic"]
            .iter()
            .any(|made| self.class.contains(made));
        let in_name = ["access$", "$r8$", "-"]
            .iter()
            .any(|made| self.name.starts_with(made));
        in_class || in_name || made_at_runtime(self.class).is_some()
    }
}

/// `java.base/`, `java.base@17/`, `app//`. A slash in a lambda's class name is part of that.
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
    made_at_runtime(class).map_or_else(|| without_lambda_counters(class), str::to_owned)
}

/// Proxies and reflection's accessors, without their counter.
fn made_at_runtime(class: &str) -> Option<&str> {
    let plain = class.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let name = plain.rsplit('.').next().unwrap_or_default();
    let made = matches!(
        name,
        "$Proxy" | "GeneratedMethodAccessor" | "GeneratedConstructorAccessor"
    );
    (made && plain.len() < class.len()).then_some(plain)
}

/// `lambda$onCreate$0` → `lambda$onCreate`, `onCreate$lambda$2` → `onCreate$lambda`, `access$000` → `access`.
fn plain_method(name: &str) -> String {
    if name.starts_with("$r8$lambda$") {
        return "$r8$lambda".to_owned();
    }
    if let Some(lambda) = name.strip_prefix("lambda$") {
        // Desugared lambdas repeat their class behind the counter.
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
