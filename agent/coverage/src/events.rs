//! What the VM calls: the entry points of the library and its events. Nothing unwinds into the VM, and nothing that goes
//! wrong here stops the app.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::app_classes::own_name;
use crate::breakpoints::Breakpoints;
use crate::jvmti::{
    Callbacks, EVENT_BREAKPOINT, EVENT_CLASS_PREPARE, EVENT_VM_INIT, Jni, Jvmti, JvmtiError,
    Location, MethodId, NOT_AVAILABLE, Object,
};
use crate::options::CoverageOptions;
use crate::socket;

static BREAKPOINTS: Breakpoints = Breakpoints::new();
static OPTIONS: OnceLock<CoverageOptions> = OnceLock::new();
static CALLBACKS: Callbacks = Callbacks::new(vm_init, class_prepare, breakpoint);

/// Called by the VM that starts with the library.
///
/// # Safety
/// The VM passes itself, and a text that ends with zero or nothing.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn Agent_OnLoad(
    vm: *mut c_void,
    options: *const c_char,
    _: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    let options = unsafe { text(options) };
    guarded(|| load(vm, &options, false));
    // Anything but 0 ends the VM: the app would not start.
    0
}

/// Called by a VM that runs already.
///
/// # Safety
/// The VM passes itself, and a text that ends with zero or nothing.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn Agent_OnAttach(
    vm: *mut c_void,
    options: *const c_char,
    _: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    let options = unsafe { text(options) };
    guarded(|| load(vm, &options, true));
    0
}

/// Text of the VM. Without one, the options are empty.
///
/// # Safety
/// The pointer is null or of a text that ends with zero.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

fn load(vm: *mut c_void, options: &str, is_running: bool) {
    let options = match CoverageOptions::parse(options) {
        Ok(options) => options,
        Err(why) => return warn(&why),
    };
    if OPTIONS.get().is_some() {
        return warn("the library is loaded already; nothing has changed");
    }
    let Some(jvmti) = Jvmti::of_vm(vm) else {
        return warn("this VM has no JVMTI: is the app debuggable?");
    };
    if let Err(error) = start(jvmti, is_running) {
        jvmti.dispose();
        return warn(&refusal(error));
    }
    let _ = OPTIONS.set(options.clone());
    if let (true, Some(jni)) = (is_running, Jni::of_vm(vm)) {
        begin(jvmti);
        watch_loaded(jvmti, jni);
    }
    socket::serve(options.socket, options.lines, &BREAKPOINTS);
}

fn start(jvmti: Jvmti, is_running: bool) -> Result<(), JvmtiError> {
    jvmti.add_capabilities()?;
    jvmti.set_callbacks(&CALLBACKS)?;
    if !is_running {
        jvmti.enable(EVENT_VM_INIT)?;
    }
    Ok(())
}

fn refusal(error: JvmtiError) -> String {
    match error {
        NOT_AVAILABLE => "the VM gives no breakpoints: another agent has them, as a debugger or a profiler, or this VM \
                          gives them only when it starts"
            .to_owned(),
        JvmtiError(number) => format!("the VM answered with JVMTI error {number}"),
    }
}

/// Begins to watch the classes that come.
fn begin(jvmti: Jvmti) {
    let enabled = [EVENT_BREAKPOINT, EVENT_CLASS_PREPARE].map(|event| jvmti.enable(event));
    if let Some(error) = enabled.into_iter().find_map(Result::err) {
        warn(&refusal(error));
    }
}

/// Watches the classes that are there already.
fn watch_loaded(jvmti: Jvmti, jni: Jni) {
    for class in jvmti.loaded_classes().unwrap_or_default() {
        if jvmti.is_prepared(class) {
            watch(jvmti, jni, class);
        }
        jni.delete_local(class);
    }
}

fn watch(jvmti: Jvmti, jni: Jni, class: Object) {
    let Some(options) = OPTIONS.get() else { return };
    if let Some(name) = own_name(jvmti, jni, class, options, &BREAKPOINTS.uncovered) {
        BREAKPOINTS.set_in(jvmti, class, &name, options.lines);
    }
}

unsafe extern "C" fn vm_init(jvmti: Jvmti, _: Jni, _: Object) {
    // All classes so far are the VM's own.
    guarded(|| begin(jvmti));
}

unsafe extern "C" fn class_prepare(jvmti: Jvmti, jni: Jni, _: Object, class: Object) {
    guarded(|| watch(jvmti, jni, class));
}

unsafe extern "C" fn breakpoint(
    jvmti: Jvmti,
    _: Jni,
    _: Object,
    method: MethodId,
    location: Location,
) {
    guarded(|| BREAKPOINTS.hit(jvmti, method, location));
}

/// Ends a panic here. Where a panic ends the process, as on phones, there is none to catch.
fn guarded(run: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        warn("a fault of Retap; what ran meanwhile may be missing");
    }
}

/// Writes to the VM's error output: an app has no other place for it.
fn warn(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "retap-coverage: {why}");
}
