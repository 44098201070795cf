//! Calls into Java by rows of the table: looked up once, newest form first, kept, and checked before each call, so that
//! a phone that differs gives an error and never a crash of the VM.

mod error;
mod strings;

use std::sync::OnceLock;

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
use super::table::{Kind, Name, ROWS, Row};

/// References that a look-up needs at once.
const FRAME: usize = 16;

/// The way into one VM, and what has been looked up in it so far.
#[derive(Debug)]
pub struct Java {
    vm: JavaVM,
    loader: Global<JClassLoader<'static>>,
    found: Vec<OnceLock<Option<Found>>>,
}

/// A row as this phone has it.
#[derive(Debug)]
struct Found {
    form: usize,
    class: Global<JClass<'static>>,
    member: Member,
}

#[derive(Debug)]
enum Member {
    Method(JMethodID, RuntimeMethodSignature),
    StaticMethod(JStaticMethodID, RuntimeMethodSignature),
    Field(JFieldID, JavaType),
    StaticField(JStaticFieldID, JavaType),
}

pub type Result<T> = std::result::Result<T, JavaError>;

impl Java {
    /// `loader` is the one that found the bootstrap: threads that Rust attaches see fewer classes by themselves.
    pub fn new(vm: JavaVM, loader: Global<JClassLoader<'static>>) -> Self {
        Java {
            vm,
            loader,
            found: ROWS.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Runs `work` on this thread, attached; no local reference made in it outlives it.
    pub fn with<T>(&self, work: impl FnOnce(&mut Env) -> Result<T>) -> Result<T> {
        self.vm.attach_current_thread(work)
    }

    /// Each row with the number of the form that this phone has.
    pub fn list(&self, env: &mut Env) -> Vec<(&'static Row, Option<usize>)> {
        ROWS.iter()
            .map(|row| (row, self.find(env, row.name).ok().map(|found| found.form)))
            .collect()
    }

    pub fn has(&self, env: &mut Env, name: Name) -> bool {
        self.find(env, name).is_ok()
    }

    /// Which form of it this phone has, counted from the newest.
    pub(crate) fn form(&self, env: &mut Env, name: Name) -> Result<usize> {
        Ok(self.find(env, name)?.form)
    }

    /// Calls a method that has one form.
    pub fn call<'l>(
        &self,
        env: &mut Env<'l>,
        name: Name,
        on: &JObject,
        arguments: &[JValue],
    ) -> Result<JValueOwned<'l>> {
        self.call_any(env, name, on, &[arguments])
    }

    /// Calls a method with the arguments of the form that this phone has: one list for each, in the table's order.
    pub fn call_any<'l>(
        &self,
        env: &mut Env<'l>,
        name: Name,
        on: &JObject,
        arguments: &[&[JValue]],
    ) -> Result<JValueOwned<'l>> {
        let found = self.find(env, name)?;
        let Member::Method(id, signature) = &found.member else {
            return Err(mistaken(name));
        };
        let arguments = fitting(found, signature, arguments, name)?;
        check_owner(env, found, on, name)?;
        // SAFETY: the object is of the class, and the arguments are of the types that the id was looked up with.
        let called = unsafe {
            env.call_method_unchecked(on, id, signature.method_signature().ret(), &arguments)
        };
        called.map_err(|error| thrown(env, name, error))
    }

    pub fn call_static<'l>(
        &self,
        env: &mut Env<'l>,
        name: Name,
        arguments: &[JValue],
    ) -> Result<JValueOwned<'l>> {
        let found = self.find(env, name)?;
        let Member::StaticMethod(id, signature) = &found.member else {
            return Err(mistaken(name));
        };
        let arguments = fitting(found, signature, &[arguments], name)?;
        let returned = signature.method_signature().ret();
        // SAFETY: the arguments are of the types that the id was looked up with, on this class.
        let called =
            unsafe { env.call_static_method_unchecked(&found.class, id, returned, &arguments) };
        called.map_err(|error| thrown(env, name, error))
    }

    /// Makes an object; one list of arguments for each form.
    pub fn make<'l>(
        &self,
        env: &mut Env<'l>,
        name: Name,
        arguments: &[&[JValue]],
    ) -> Result<JObject<'l>> {
        let found = self.find(env, name)?;
        let Member::Method(id, signature) = &found.member else {
            return Err(mistaken(name));
        };
        let arguments = fitting(found, signature, arguments, name)?;
        // SAFETY: the id is a constructor of this class, and the arguments are of its types.
        let made = unsafe { env.new_object_unchecked(&found.class, *id, &arguments) };
        made.map_err(|error| thrown(env, name, error))
    }

    pub fn get<'l>(&self, env: &mut Env<'l>, name: Name, on: &JObject) -> Result<JValueOwned<'l>> {
        let found = self.find(env, name)?;
        let Member::Field(id, java_type) = found.member else {
            return Err(mistaken(name));
        };
        check_owner(env, found, on, name)?;
        // SAFETY: the object is of the class in which the field was looked up with this type.
        let value = unsafe { env.get_field_unchecked(on, id, java_type) };
        value.map_err(|error| thrown(env, name, error))
    }

    pub fn set(&self, env: &mut Env, name: Name, on: &JObject, value: JValue) -> Result<()> {
        let found = self.find(env, name)?;
        let Member::Field(id, java_type) = found.member else {
            return Err(mistaken(name));
        };
        check_owner(env, found, on, name)?;
        if !same_type(value.java_type(), java_type) {
            return Err(mistaken(name));
        }
        // SAFETY: the object is of the class in which the field was looked up with the value's type.
        unsafe { env.set_field_unchecked(on, id, value) }.map_err(|error| thrown(env, name, error))
    }

    pub fn get_static<'l>(&self, env: &mut Env<'l>, name: Name) -> Result<JValueOwned<'l>> {
        let found = self.find(env, name)?;
        let Member::StaticField(id, java_type) = found.member else {
            return Err(mistaken(name));
        };
        // SAFETY: the field was looked up in this class with this type.
        let value = unsafe { env.get_static_field_unchecked(&found.class, id, java_type) };
        value.map_err(|error| thrown(env, name, error))
    }

    /// The class of a row, to make arrays of.
    pub fn class(&self, env: &mut Env, name: Name) -> Result<&JClass<'static>> {
        Ok(&self.find(env, name)?.class)
    }

    /// A CharSequence as Rust has it: null is empty, half a surrogate pair becomes U+FFFD.
    pub fn text(&self, env: &mut Env, text: &JObject) -> Result<Text> {
        if text.is_null() {
            return Ok(Text::default());
        }
        // Most are strings already, and need not be asked.
        if let Ok(text) = env.as_cast::<JString>(text) {
            return Ok(string(env, &text)?.into());
        }
        // text.toString()
        let text = self
            .call(env, Name::TextToString, text, &[])?
            .into_object()?;
        let text = env.cast_local::<JString>(text)?;
        Ok(string(env, &text)?.into())
    }

    fn find(&self, env: &mut Env, name: Name) -> Result<&Found> {
        let row = name.row();
        let found = self.found[name as usize].get_or_init(|| {
            let found = env.with_local_frame(FRAME, |env| {
                let Some(class) = self.load(env, row.class) else {
                    return Ok(None);
                };
                Ok((0..row.descriptors.len()).find_map(|form| look_up(env, &class, row, form)))
            });
            found.unwrap_or_else(|_: JavaError| None)
        });
        found
            .as_ref()
            .ok_or_else(|| JavaError::Missing(spelled(row)))
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

/// The form, if the class has it. What went wrong otherwise does not matter: an older form is tried.
fn look_up(
    env: &mut Env,
    class: &Global<JClass<'static>>,
    row: &Row,
    form: usize,
) -> Option<Found> {
    let name = JNIString::new(row.member);
    let descriptor = row.descriptors[form];
    let member = match row.kind {
        Kind::Constructor | Kind::Method => {
            let signature = RuntimeMethodSignature::from_str(descriptor).ok()?;
            let id = env.get_method_id(class, &name, signature.method_signature());
            id.map(|id| Member::Method(id, signature))
        }
        Kind::StaticMethod => {
            let signature = RuntimeMethodSignature::from_str(descriptor).ok()?;
            let id = env.get_static_method_id(class, &name, signature.method_signature());
            id.map(|id| Member::StaticMethod(id, signature))
        }
        Kind::Field => {
            let signature = RuntimeFieldSignature::from_str(descriptor).ok()?;
            let id = env.get_field_id(class, &name, signature.field_signature());
            id.map(|id| Member::Field(id, signature.field_signature().ty()))
        }
        Kind::StaticField => {
            let signature = RuntimeFieldSignature::from_str(descriptor).ok()?;
            let id = env.get_static_field_id(class, &name, signature.field_signature());
            id.map(|id| Member::StaticField(id, signature.field_signature().ty()))
        }
    };
    if member.is_err() {
        env.exception_clear();
    }
    let class = env.new_global_ref(class).ok()?;
    Some(Found {
        form,
        class,
        member: member.ok()?,
    })
}

/// The list of arguments for the form that was found, if it fits.
fn fitting(
    found: &Found,
    signature: &RuntimeMethodSignature,
    lists: &[&[JValue]],
    name: Name,
) -> Result<Vec<jni::sys::jvalue>> {
    let list = lists.get(found.form).ok_or_else(|| mistaken(name))?;
    let signature = signature.method_signature();
    let fits = list.len() == signature.args().len()
        && list
            .iter()
            .zip(signature.args())
            .all(|(value, taken)| same_type(value.java_type(), *taken));
    if !fits {
        return Err(mistaken(name));
    }
    Ok(list.iter().map(JValue::as_jni).collect())
}

/// Arrays are objects to whoever hands them over.
fn same_type(given: JavaType, taken: JavaType) -> bool {
    given == taken || (given == JavaType::Object && taken == JavaType::Array)
}

fn check_owner(env: &mut Env, found: &Found, on: &JObject, name: Name) -> Result<()> {
    if on.is_null() {
        return Err(JavaError::Null(spelled(name.row())));
    }
    if !env.is_instance_of(on, &found.class)? {
        return Err(mistaken(name));
    }
    Ok(())
}

fn mistaken(name: Name) -> JavaError {
    JavaError::Arguments(spelled(name.row()))
}

/// Takes the pending exception out of the VM and into the error.
fn thrown(env: &mut Env, name: Name, error: jni::errors::Error) -> JavaError {
    if !env.exception_check() {
        return error.into();
    }
    let call = spelled(name.row());
    match env.exception_catch() {
        Err(jni::errors::Error::CaughtJavaException {
            name: class,
            msg: message,
            ..
        }) => JavaError::Thrown {
            call,
            class,
            message,
        },
        _ => error.into(),
    }
}

fn spelled(row: &Row) -> String {
    let class = row.class.rsplit('/').next().unwrap_or(row.class);
    format!("{}.{}", class.replace('$', "."), row.member)
}
