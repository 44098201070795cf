//! Which classes are the app's own, and what cannot be covered of them.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::jvmti::{Jni, Jvmti, Object};
use crate::options::CoverageOptions;

/// Counts of what is not covered, and of nothing else.
#[derive(Debug)]
pub(crate) struct Uncovered {
    /// Classes that the VM makes, for lambdas and proxies. The code of a lambda is a method of its class.
    pub(crate) hidden_classes: AtomicU32,
    /// Methods in C or C++.
    pub(crate) native_methods: AtomicU32,
    /// Methods without code.
    pub(crate) abstract_methods: AtomicU32,
    /// Methods without a line table, where lines are noted.
    pub(crate) without_lines: AtomicU32,
    /// Methods at which the VM sets no breakpoint.
    pub(crate) refused: AtomicU32,
}

impl Uncovered {
    pub(crate) const fn new() -> Uncovered {
        Uncovered {
            hidden_classes: AtomicU32::new(0),
            native_methods: AtomicU32::new(0),
            abstract_methods: AtomicU32::new(0),
            without_lines: AtomicU32::new(0),
            refused: AtomicU32::new(0),
        }
    }

    /// The counts, in the order of the fields.
    pub(crate) fn counts(&self) -> [u32; 5] {
        [
            &self.hidden_classes,
            &self.native_methods,
            &self.abstract_methods,
            &self.without_lines,
            &self.refused,
        ]
        .map(|count| count.load(Ordering::Relaxed))
    }
}

/// Adds one to a count.
pub(crate) fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Name of the class as `com/example/App`, if it is one of the app's.
pub(crate) fn own_name(
    jvmti: Jvmti,
    jni: Jni,
    class: Object,
    options: &CoverageOptions,
    uncovered: &Uncovered,
) -> Option<String> {
    let signature = jvmti.signature(class).ok()?;
    let name = class_name(&signature)?;
    if options.leave.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    // The loader costs more to ask for than the name.
    let loader = jvmti.loader_signature(jni, class)?;
    let is_own = match &options.loader {
        Some(own) => class_name(&loader) == Some(own),
        // Reflection makes classes with loaders of their own.
        None => {
            !loader.starts_with("Ljdk/internal/reflect/") && !loader.starts_with("Lsun/reflect/")
        }
    };
    if !is_own {
        return None;
    }
    // Only hidden classes have a dot. The numbers of proxies change from process to process.
    let own = name.rsplit('/').next().unwrap_or(name);
    if name.contains('.') || own.starts_with("$Proxy") {
        count(&uncovered.hidden_classes);
        return None;
    }
    Some(name.to_owned())
}

/// `com/example/App` of `Lcom/example/App;`; none for arrays and primitive types.
fn class_name(signature: &str) -> Option<&str> {
    signature.strip_prefix('L')?.strip_suffix(';')
}
