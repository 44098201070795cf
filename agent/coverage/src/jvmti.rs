//! The part of JVMTI that the library uses, by the positions that the specification gives its functions, and two
//! functions of JNI. The same on ART and HotSpot.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

/// A Java object, a class among others.
pub(crate) type Object = *mut c_void;
/// A jmethodID.
pub(crate) type MethodId = usize;
/// Position of an instruction in a method.
pub(crate) type Location = i64;

const JVMTI_VERSION_1_0: i32 = 0x3001_0000;
const JNI_VERSION_1_6: i32 = 0x0001_0006;
pub(crate) const EVENT_VM_INIT: i32 = 50;
pub(crate) const EVENT_CLASS_PREPARE: i32 = 56;
pub(crate) const EVENT_BREAKPOINT: i32 = 62;
/// Bit of the capabilities: can_get_source_file_name.
const SOURCE_FILES: u32 = 11;
/// Bit of the capabilities: can_get_line_numbers.
const LINE_NUMBERS: u32 = 12;
/// Bit of the capabilities: can_generate_breakpoint_events.
const BREAKPOINTS: u32 = 19;
const CLASS_IS_PREPARED: i32 = 2;
pub(crate) const MODIFIER_NATIVE: i32 = 0x100;
pub(crate) const MODIFIER_ABSTRACT: i32 = 0x400;

/// Positions in JVMTI's table of functions, from 1.
mod position {
    pub(super) const SET_EVENT_NOTIFICATION_MODE: usize = 2;
    pub(super) const SET_BREAKPOINT: usize = 38;
    pub(super) const CLEAR_BREAKPOINT: usize = 39;
    pub(super) const DEALLOCATE: usize = 47;
    pub(super) const GET_CLASS_SIGNATURE: usize = 48;
    pub(super) const GET_CLASS_STATUS: usize = 49;
    pub(super) const GET_SOURCE_FILE_NAME: usize = 50;
    pub(super) const GET_CLASS_METHODS: usize = 52;
    pub(super) const GET_CLASS_LOADER: usize = 57;
    pub(super) const GET_METHOD_NAME: usize = 64;
    pub(super) const GET_METHOD_MODIFIERS: usize = 66;
    pub(super) const GET_LINE_NUMBER_TABLE: usize = 70;
    pub(super) const GET_METHOD_LOCATION: usize = 71;
    pub(super) const GET_LOADED_CLASSES: usize = 78;
    pub(super) const SET_EVENT_CALLBACKS: usize = 122;
    pub(super) const DISPOSE_ENVIRONMENT: usize = 127;
    pub(super) const ADD_CAPABILITIES: usize = 142;
    pub(super) const JNI_DELETE_LOCAL_REF: usize = 23;
    pub(super) const JNI_GET_OBJECT_CLASS: usize = 31;
    /// JavaVM's GetEnv.
    pub(super) const VM_GET_ENV: usize = 6;
}

/// A function has returned this JVMTI error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JvmtiError(pub(crate) i32);

pub(crate) const NOT_AVAILABLE: JvmtiError = JvmtiError(98);

type JvmtiResult<T> = Result<T, JvmtiError>;

/// The callbacks, in the order of the specification's structure; those between are unused.
#[repr(C)]
pub(crate) struct Callbacks {
    pub(crate) vm_init: unsafe extern "C" fn(Jvmti, Jni, Object),
    unused: [usize; 5],
    pub(crate) class_prepare: unsafe extern "C" fn(Jvmti, Jni, Object, Object),
    unused_too: [usize; 5],
    pub(crate) breakpoint: unsafe extern "C" fn(Jvmti, Jni, Object, MethodId, Location),
}

impl Callbacks {
    pub(crate) const fn new(
        vm_init: unsafe extern "C" fn(Jvmti, Jni, Object),
        class_prepare: unsafe extern "C" fn(Jvmti, Jni, Object, Object),
        breakpoint: unsafe extern "C" fn(Jvmti, Jni, Object, MethodId, Location),
    ) -> Callbacks {
        Callbacks {
            vm_init,
            unused: [0; 5],
            class_prepare,
            unused_too: [0; 5],
            breakpoint,
        }
    }
}

/// One entry of a line table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEntry {
    pub(crate) start: Location,
    pub(crate) line: i32,
}

/// A pointer to a structure that begins with a table of functions.
type Table = *const *const usize;

/// Calls function `$position` of a table, with the table first.
macro_rules! call {
    ($table:expr, $position:expr, $result:ty, ($($type:ty: $value:expr),*)) => {{
        let table: Table = $table;
        // SAFETY: the VM's table has a function of this type at this position.
        unsafe {
            let function: unsafe extern "C" fn(Table $(, $type)*) -> $result =
                std::mem::transmute(*(*table).add($position));
            function(table $(, $value)*)
        }
    }};
}

/// The VM's JVMTI environment of this library.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jvmti(Table);

// SAFETY: JVMTI environments may be used from every thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// The JNI environment of a thread.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jni(Table);

impl Jni {
    /// The environment of the calling thread.
    pub(crate) fn of_vm(vm: *mut c_void) -> Option<Jni> {
        environment(vm, JNI_VERSION_1_6).map(Jni)
    }

    /// Class of an object: a local reference.
    fn class_of(self, object: Object) -> Object {
        call!(self.0, position::JNI_GET_OBJECT_CLASS, Object, (Object: object))
    }

    pub(crate) fn delete_local(self, object: Object) {
        call!(self.0, position::JNI_DELETE_LOCAL_REF, (), (Object: object));
    }
}

impl Jvmti {
    /// An environment of this VM.
    pub(crate) fn of_vm(vm: *mut c_void) -> Option<Jvmti> {
        environment(vm, JVMTI_VERSION_1_0).map(Jvmti)
    }

    /// Asks for breakpoints. Without lines and names of source files less is reported, but nothing fails.
    pub(crate) fn add_capabilities(self) -> JvmtiResult<()> {
        let add = |bit: u32| {
            let bits = [1_u32 << bit, 0, 0, 0];
            let pointer: *const u32 = bits.as_ptr();
            result(call!(self.0, position::ADD_CAPABILITIES - 1, i32, (*const u32: pointer)))
        };
        let _ = add(SOURCE_FILES);
        let _ = add(LINE_NUMBERS);
        add(BREAKPOINTS)
    }

    pub(crate) fn set_callbacks(self, callbacks: &Callbacks) -> JvmtiResult<()> {
        let size = i32::try_from(size_of::<Callbacks>()).unwrap_or_default();
        result(call!(
            self.0,
            position::SET_EVENT_CALLBACKS - 1,
            i32,
            (*const Callbacks: callbacks, i32: size)
        ))
    }

    pub(crate) fn enable(self, event: i32) -> JvmtiResult<()> {
        // SAFETY: the function has variable arguments, of which none is given.
        let error = unsafe {
            let function: unsafe extern "C" fn(Table, i32, i32, Object, ...) -> i32 =
                std::mem::transmute(*(*self.0).add(position::SET_EVENT_NOTIFICATION_MODE - 1));
            function(self.0, 1, event, null_mut())
        };
        result(error)
    }

    pub(crate) fn set_breakpoint(self, method: MethodId, at: Location) -> JvmtiResult<()> {
        result(call!(self.0, position::SET_BREAKPOINT - 1, i32, (MethodId: method, Location: at)))
    }

    pub(crate) fn clear_breakpoint(self, method: MethodId, at: Location) -> JvmtiResult<()> {
        result(call!(self.0, position::CLEAR_BREAKPOINT - 1, i32, (MethodId: method, Location: at)))
    }

    /// Signature of a class, as `Lcom/example/App;`.
    pub(crate) fn signature(self, class: Object) -> JvmtiResult<String> {
        let mut text: *mut c_char = null_mut();
        result(call!(
            self.0,
            position::GET_CLASS_SIGNATURE - 1,
            i32,
            (Object: class, *mut *mut c_char: &raw mut text, *mut *mut c_char: null_mut())
        ))?;
        Ok(self.owned(text))
    }

    /// Name of the file that a class was compiled from, if it says so.
    pub(crate) fn source_file(self, class: Object) -> Option<String> {
        let mut text: *mut c_char = null_mut();
        let error = call!(
            self.0,
            position::GET_SOURCE_FILE_NAME - 1,
            i32,
            (Object: class, *mut *mut c_char: &raw mut text)
        );
        result(error).ok().map(|()| self.owned(text))
    }

    /// Signature of the class of a class's loader; none for the loader of the system's own classes.
    pub(crate) fn loader_signature(self, jni: Jni, class: Object) -> Option<String> {
        let mut loader: Object = null_mut();
        self.of_class(position::GET_CLASS_LOADER, class, (&raw mut loader).cast())
            .ok()?;
        if loader.is_null() {
            return None;
        }
        let loaders_class = jni.class_of(loader);
        let signature = self.signature(loaders_class).ok();
        jni.delete_local(loaders_class);
        jni.delete_local(loader);
        signature
    }

    pub(crate) fn is_prepared(self, class: Object) -> bool {
        let mut status = 0_i32;
        let answer = self.of_class(position::GET_CLASS_STATUS, class, (&raw mut status).cast());
        answer.is_ok() && status & CLASS_IS_PREPARED != 0
    }

    pub(crate) fn methods(self, class: Object) -> JvmtiResult<Vec<MethodId>> {
        self.list(position::GET_CLASS_METHODS, class)
    }

    /// The classes that are loaded: local references.
    pub(crate) fn loaded_classes(self) -> JvmtiResult<Vec<Object>> {
        let mut count = 0_i32;
        let mut items: *mut Object = null_mut();
        result(call!(
            self.0,
            position::GET_LOADED_CLASSES - 1,
            i32,
            (*mut i32: &raw mut count, *mut *mut Object: &raw mut items)
        ))?;
        Ok(self.copied(items, count))
    }

    /// Name and signature of a method.
    pub(crate) fn method_name(self, method: MethodId) -> JvmtiResult<(String, String)> {
        let mut name: *mut c_char = null_mut();
        let mut signature: *mut c_char = null_mut();
        result(call!(
            self.0,
            position::GET_METHOD_NAME - 1,
            i32,
            (MethodId: method, *mut *mut c_char: &raw mut name,
             *mut *mut c_char: &raw mut signature, *mut *mut c_char: null_mut())
        ))?;
        Ok((self.owned(name), self.owned(signature)))
    }

    pub(crate) fn method_modifiers(self, method: MethodId) -> JvmtiResult<i32> {
        let mut modifiers = 0_i32;
        result(call!(
            self.0,
            position::GET_METHOD_MODIFIERS - 1,
            i32,
            (MethodId: method, *mut i32: &raw mut modifiers)
        ))?;
        Ok(modifiers)
    }

    /// Position of the first instruction; none if the method has no code.
    pub(crate) fn method_start(self, method: MethodId) -> Option<Location> {
        let mut start: Location = -1;
        let mut end: Location = -1;
        let error = call!(
            self.0,
            position::GET_METHOD_LOCATION - 1,
            i32,
            (MethodId: method, *mut Location: &raw mut start, *mut Location: &raw mut end)
        );
        (error == 0 && start >= 0 && end >= start).then_some(start)
    }

    /// The line table; empty if the class was compiled without it.
    pub(crate) fn lines(self, method: MethodId) -> Vec<LineEntry> {
        self.list(position::GET_LINE_NUMBER_TABLE, method as Object)
            .unwrap_or_default()
    }

    pub(crate) fn dispose(self) {
        call!(self.0, position::DISPOSE_ENVIRONMENT - 1, i32, ());
    }

    /// Calls a function with a class and one pointer to its result.
    fn of_class(self, position: usize, class: Object, into: Object) -> JvmtiResult<()> {
        result(call!(self.0, position - 1, i32, (Object: class, Object: into)))
    }

    /// Calls a function that returns a list of what belongs to `of`.
    fn list<T: Copy>(self, position: usize, of: Object) -> JvmtiResult<Vec<T>> {
        let mut count = 0_i32;
        let mut items: *mut T = null_mut();
        result(call!(
            self.0,
            position - 1,
            i32,
            (Object: of, *mut i32: &raw mut count, *mut *mut T: &raw mut items)
        ))?;
        Ok(self.copied(items, count))
    }

    /// Copy of a list, which is given back to the VM.
    fn copied<T: Copy>(self, items: *mut T, count: i32) -> Vec<T> {
        if items.is_null() {
            return Vec::new();
        }
        let count = usize::try_from(count).unwrap_or_default();
        // SAFETY: the VM has returned a list of this length.
        let copied = unsafe { std::slice::from_raw_parts(items, count) }.to_vec();
        self.deallocate(items.cast());
        copied
    }

    /// Copy of a text, which is given back to the VM. Names are in Java's form of UTF-8; what is not UTF-8 is replaced.
    fn owned(self, text: *mut c_char) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the VM has returned a text that ends with zero.
        let owned = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        self.deallocate(text.cast());
        owned
    }

    fn deallocate(self, memory: Object) {
        call!(self.0, position::DEALLOCATE - 1, i32, (Object: memory));
    }
}

/// VM.GetEnv(version)
fn environment(vm: *mut c_void, version: i32) -> Option<Table> {
    let mut found: *mut c_void = null_mut();
    let status = call!(
        vm.cast(),
        position::VM_GET_ENV,
        i32,
        (*mut *mut c_void: &raw mut found, i32: version)
    );
    (status == 0 && !found.is_null()).then_some(found.cast())
}

fn result(error: i32) -> JvmtiResult<()> {
    match error {
        0 => Ok(()),
        error => Err(JvmtiError(error)),
    }
}
