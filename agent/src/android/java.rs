//! Calls into Java by rows of the table. A row is looked up once, newest form first, and checked before each call, so
//! that a phone without it gives an error and never a crash of the VM.

mod error;
mod strings;

use std::sync::{Arc, OnceLock};

use jni::objects::{
    JClass, JClassLoader, JFieldID, JMethodID, JObject, JStaticFieldID, JStaticMethodID, JString,
    JValue, JValueOwned,
};
use jni::refs::{Global, LoaderContext};
use jni::signature::{JavaType, RuntimeFieldSignature, RuntimeMethodSignature};
use jni::strings::JNIString;
use jni::{Env, JavaVM};
use retap_shared::Text;

pub use self::error::JavaError;
pub(crate) use self::strings::string;
use super::table::{JavaName, JavaRow, MemberKind, ROWS};

/// Number of references that a lookup needs.
const FRAME: usize = 16;

/// Access to one VM, with the rows that have been looked up in it.
#[derive(Debug)]
pub struct JavaBridge {
    vm: JavaVM,
    loader: Global<JClassLoader<'static>>,
    rows: Vec<OnceLock<Option<ResolvedRow>>>,
}

/// A row with this phone's form.
#[derive(Debug)]
struct ResolvedRow {
    form: usize,
    class: Global<JClass<'static>>,
    member: ResolvedMember,
}

#[derive(Debug)]
enum ResolvedMember {
    Method(JMethodID, RuntimeMethodSignature),
    StaticMethod(JStaticMethodID, RuntimeMethodSignature),
    Field(JFieldID, JavaType),
    StaticField(JStaticFieldID, JavaType),
}

/// The result of a call into Java.
pub type JavaResult<T> = std::result::Result<T, JavaError>;

impl JavaBridge {
    /// Creates a bridge with the class loader of a class of the bootstrap.
    pub fn of_class(env: &mut Env, class: &JClass) -> jni::errors::Result<Arc<JavaBridge>> {
        let loader = class.get_class_loader(env)?;
        let loader = env.new_global_ref(loader)?;
        Ok(Arc::new(JavaBridge::new(env.get_java_vm()?, loader)))
    }

    /// Creates a bridge. `loader` is the loader of the bootstrap: threads that Rust attaches find fewer classes without it.
    pub fn new(vm: JavaVM, loader: Global<JClassLoader<'static>>) -> Self {
        JavaBridge {
            vm,
            loader,
            rows: ROWS.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Attaches this thread and runs `work` on it. Local references do not outlive `work`.
    pub fn with<T>(&self, work: impl FnOnce(&mut Env) -> JavaResult<T>) -> JavaResult<T> {
        self.vm.attach_current_thread(work)
    }

    /// Each row with the number of this phone's form.
    pub fn list(&self, env: &mut Env) -> Vec<(&'static JavaRow, Option<usize>)> {
        ROWS.iter()
            .map(|row| {
                (
                    row,
                    self.find(env, row.name).ok().map(|resolved| resolved.form),
                )
            })
            .collect()
    }

    /// True if this phone has a form of the row.
    pub fn has(&self, env: &mut Env, name: JavaName) -> bool {
        self.find(env, name).is_ok()
    }

    /// The number of this phone's form, counted from the newest.
    pub(crate) fn form(&self, env: &mut Env, name: JavaName) -> JavaResult<usize> {
        Ok(self.find(env, name)?.form)
    }

    /// Calls a method that has one form.
    pub fn call<'l>(
        &self,
        env: &mut Env<'l>,
        name: JavaName,
        on: &JObject,
        arguments: &[JValue],
    ) -> JavaResult<JValueOwned<'l>> {
        self.call_any(env, name, on, &[arguments])
    }

    /// Calls a method with the arguments of this phone's form: one list for each form, in the table's order.
    pub fn call_any<'l>(
        &self,
        env: &mut Env<'l>,
        name: JavaName,
        on: &JObject,
        arguments: &[&[JValue]],
    ) -> JavaResult<JValueOwned<'l>> {
        let row = self.find(env, name)?;
        let ResolvedMember::Method(id, signature) = &row.member else {
            return Err(wrong_arguments(name));
        };
        let arguments = checked_arguments(row, signature, arguments, name)?;
        check_owner(env, row, on, name)?;
        // SAFETY: the object is of the class, and the arguments are of the types that the id was looked up with.
        let called = unsafe {
            env.call_method_unchecked(on, id, signature.method_signature().ret(), &arguments)
        };
        called.map_err(|error| exception(env, name, error))
    }

    /// Calls a static method that has one form.
    pub fn call_static<'l>(
        &self,
        env: &mut Env<'l>,
        name: JavaName,
        arguments: &[JValue],
    ) -> JavaResult<JValueOwned<'l>> {
        let row = self.find(env, name)?;
        let ResolvedMember::StaticMethod(id, signature) = &row.member else {
            return Err(wrong_arguments(name));
        };
        let arguments = checked_arguments(row, signature, &[arguments], name)?;
        let returned = signature.method_signature().ret();
        // SAFETY: the arguments are of the types that the id was looked up with, on this class.
        let called =
            unsafe { env.call_static_method_unchecked(&row.class, id, returned, &arguments) };
        called.map_err(|error| exception(env, name, error))
    }

    /// Creates an object; one list of arguments for each form.
    pub fn make<'l>(
        &self,
        env: &mut Env<'l>,
        name: JavaName,
        arguments: &[&[JValue]],
    ) -> JavaResult<JObject<'l>> {
        let row = self.find(env, name)?;
        let ResolvedMember::Method(id, signature) = &row.member else {
            return Err(wrong_arguments(name));
        };
        let arguments = checked_arguments(row, signature, arguments, name)?;
        // SAFETY: the id is a constructor of this class, and the arguments are of its types.
        let made = unsafe { env.new_object_unchecked(&row.class, *id, &arguments) };
        made.map_err(|error| exception(env, name, error))
    }

    /// Reads a field.
    pub fn get<'l>(
        &self,
        env: &mut Env<'l>,
        name: JavaName,
        on: &JObject,
    ) -> JavaResult<JValueOwned<'l>> {
        let row = self.find(env, name)?;
        let ResolvedMember::Field(id, java_type) = row.member else {
            return Err(wrong_arguments(name));
        };
        check_owner(env, row, on, name)?;
        // SAFETY: the object is of the class in which the field was looked up with this type.
        let value = unsafe { env.get_field_unchecked(on, id, java_type) };
        value.map_err(|error| exception(env, name, error))
    }

    /// Writes a field.
    pub fn set(
        &self,
        env: &mut Env,
        name: JavaName,
        on: &JObject,
        value: JValue,
    ) -> JavaResult<()> {
        let row = self.find(env, name)?;
        let ResolvedMember::Field(id, java_type) = row.member else {
            return Err(wrong_arguments(name));
        };
        check_owner(env, row, on, name)?;
        if !same_type(value.java_type(), java_type) {
            return Err(wrong_arguments(name));
        }
        // SAFETY: the object is of the class in which the field was looked up with the value's type.
        unsafe { env.set_field_unchecked(on, id, value) }
            .map_err(|error| exception(env, name, error))
    }

    /// Reads a static field.
    pub fn get_static<'l>(&self, env: &mut Env<'l>, name: JavaName) -> JavaResult<JValueOwned<'l>> {
        let row = self.find(env, name)?;
        let ResolvedMember::StaticField(id, java_type) = row.member else {
            return Err(wrong_arguments(name));
        };
        // SAFETY: the field was looked up in this class with this type.
        let value = unsafe { env.get_static_field_unchecked(&row.class, id, java_type) };
        value.map_err(|error| exception(env, name, error))
    }

    /// The class of a row, to create arrays of it.
    pub fn class(&self, env: &mut Env, name: JavaName) -> JavaResult<&JClass<'static>> {
        Ok(&self.find(env, name)?.class)
    }

    /// Converts a CharSequence: null becomes empty, half a surrogate pair becomes U+FFFD.
    pub fn text(&self, env: &mut Env, text: &JObject) -> JavaResult<Text> {
        if text.is_null() {
            return Ok(Text::default());
        }
        // Most are strings already and need no call.
        if let Ok(text) = env.as_cast::<JString>(text) {
            return Ok(string(env, &text)?.into());
        }
        // text.toString()
        let text = self
            .call(env, JavaName::TextToString, text, &[])?
            .into_object()?;
        let text = env.cast_local::<JString>(text)?;
        Ok(string(env, &text)?.into())
    }

    fn find(&self, env: &mut Env, name: JavaName) -> JavaResult<&ResolvedRow> {
        let row = name.row();
        let resolved = self.rows[name as usize].get_or_init(|| {
            let resolved = env.with_local_frame(FRAME, |env| {
                let Some(class) = self.load(env, row.class) else {
                    return Ok(None);
                };
                Ok((0..row.descriptors.len()).find_map(|form| look_up(env, &class, row, form)))
            });
            resolved.unwrap_or_else(|_: JavaError| None)
        });
        resolved
            .as_ref()
            .ok_or_else(|| JavaError::Missing(full_name(row)))
    }

    fn load(&self, env: &mut Env, class: &str) -> Option<Global<JClass<'static>>> {
        let name = JNIString::new(class.replace('/', "."));
        let loaded = LoaderContext::Loader(&self.loader).load_class(env, name, true);
        if loaded.is_err() {
            env.exception_clear();
        }
        env.new_global_ref(loaded.ok()?).ok()
    }
}

/// The form, if the class has it. The error does not matter: an older form is tried next.
fn look_up(
    env: &mut Env,
    class: &Global<JClass<'static>>,
    row: &JavaRow,
    form: usize,
) -> Option<ResolvedRow> {
    let name = JNIString::new(row.member);
    let descriptor = row.descriptors[form];
    let member = match row.kind {
        MemberKind::Constructor | MemberKind::Method => {
            let signature = RuntimeMethodSignature::from_str(descriptor).ok()?;
            let id = env.get_method_id(class, &name, signature.method_signature());
            id.map(|id| ResolvedMember::Method(id, signature))
        }
        MemberKind::StaticMethod => {
            let signature = RuntimeMethodSignature::from_str(descriptor).ok()?;
            let id = env.get_static_method_id(class, &name, signature.method_signature());
            id.map(|id| ResolvedMember::StaticMethod(id, signature))
        }
        MemberKind::Field => {
            let signature = RuntimeFieldSignature::from_str(descriptor).ok()?;
            let id = env.get_field_id(class, &name, signature.field_signature());
            id.map(|id| ResolvedMember::Field(id, signature.field_signature().ty()))
        }
        MemberKind::StaticField => {
            let signature = RuntimeFieldSignature::from_str(descriptor).ok()?;
            let id = env.get_static_field_id(class, &name, signature.field_signature());
            id.map(|id| ResolvedMember::StaticField(id, signature.field_signature().ty()))
        }
    };
    if member.is_err() {
        env.exception_clear();
    }
    let class = env.new_global_ref(class).ok()?;
    Some(ResolvedRow {
        form,
        class,
        member: member.ok()?,
    })
}

/// The arguments of this phone's form, if they match its signature.
fn checked_arguments(
    row: &ResolvedRow,
    signature: &RuntimeMethodSignature,
    lists: &[&[JValue]],
    name: JavaName,
) -> JavaResult<Vec<jni::sys::jvalue>> {
    let list = lists.get(row.form).ok_or_else(|| wrong_arguments(name))?;
    let signature = signature.method_signature();
    let fits = list.len() == signature.args().len()
        && list
            .iter()
            .zip(signature.args())
            .all(|(value, taken)| same_type(value.java_type(), *taken));
    if !fits {
        return Err(wrong_arguments(name));
    }
    Ok(list.iter().map(JValue::as_jni).collect())
}

/// True if a value of type `given` can be passed as `taken`. Arrays are passed as objects.
fn same_type(given: JavaType, taken: JavaType) -> bool {
    given == taken || (given == JavaType::Object && taken == JavaType::Array)
}

fn check_owner(env: &mut Env, row: &ResolvedRow, on: &JObject, name: JavaName) -> JavaResult<()> {
    if on.is_null() {
        return Err(JavaError::Null(full_name(name.row())));
    }
    if !env.is_instance_of(on, &row.class)? {
        return Err(wrong_arguments(name));
    }
    Ok(())
}

fn wrong_arguments(name: JavaName) -> JavaError {
    JavaError::Arguments(full_name(name.row()))
}

/// Turns the VM's pending exception into an error.
fn exception(env: &mut Env, name: JavaName, error: jni::errors::Error) -> JavaError {
    if !env.exception_check() {
        return error.into();
    }
    let call = full_name(name.row());
    match env.exception_catch() {
        Err(jni::errors::Error::CaughtJavaException {
            name: class,
            msg: message,
            stack,
            ..
        }) => {
            // Callers may swallow it.
            tracing::debug!(call, class, message, stack, "a call threw");
            JavaError::Thrown {
                call,
                class,
                message,
            }
        }
        _ => error.into(),
    }
}

fn full_name(row: &JavaRow) -> String {
    let class = row.class.rsplit('/').next().unwrap_or(row.class);
    format!("{}.{}", class.replace('$', "."), row.member)
}
