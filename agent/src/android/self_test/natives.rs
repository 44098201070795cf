//! Native methods of the framework that its Java code needs in tests on OpenJDK. On a phone the system's libraries have
//! them.

use jni::errors::ThrowRuntimeExAndDefault;
use jni::objects::{JClass, JObject, JString};
use jni::sys::{jboolean, jint, jlong};
use jni::{EnvUnowned, jni_sig, jni_str};

/// `Log.isLoggable(tag, level)`
#[unsafe(no_mangle)]
extern "system" fn Java_android_util_Log_isLoggable<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    _: JString<'l>,
    _: jint,
) -> jboolean {
    false
}

/// `SystemProperties.native_get(key, otherwise)`: only the lists that `Build` needs are set.
#[unsafe(no_mangle)]
extern "system" fn Java_android_os_SystemProperties_native_1get<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    key: JString<'l>,
    otherwise: JString<'l>,
) -> JString<'l> {
    env.with_env(|env| match key.try_to_string(env)? {
        key if key.contains("abilist") => env.new_string("x86_64"),
        key if key.contains("codenames") => env.new_string("REL"),
        _ => Ok(otherwise),
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

#[unsafe(no_mangle)]
extern "system" fn Java_android_os_SystemProperties_native_1get_1boolean<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    _: JString<'l>,
    otherwise: jboolean,
) -> jboolean {
    otherwise
}

#[unsafe(no_mangle)]
extern "system" fn Java_android_os_SystemProperties_native_1get_1int<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    _: JString<'l>,
    otherwise: jint,
) -> jint {
    otherwise
}

#[unsafe(no_mangle)]
extern "system" fn Java_android_os_SystemProperties_native_1get_1long<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    _: JString<'l>,
    otherwise: jlong,
) -> jlong {
    otherwise
}

/// `KeyEvent.nativeNextId()`
#[unsafe(no_mangle)]
extern "system" fn Java_android_view_KeyEvent_nativeNextId(
    _: EnvUnowned<'_>,
    _: JClass<'_>,
) -> jint {
    1
}

/// `Region`: every region is empty.
#[unsafe(no_mangle)]
extern "system" fn Java_android_graphics_Region_nativeConstructor(
    _: EnvUnowned<'_>,
    _: JClass<'_>,
) -> jlong {
    1
}

#[unsafe(no_mangle)]
extern "system" fn Java_android_graphics_Region_nativeDestructor(
    _: EnvUnowned<'_>,
    _: JClass<'_>,
    _: jlong,
) {
}

#[unsafe(no_mangle)]
extern "system" fn Java_android_graphics_Region_nativeGetBounds<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    _: jlong,
    _: JObject<'l>,
) -> jboolean {
    false
}

/// `VMRuntime.is64Bit()`
#[unsafe(no_mangle)]
extern "system" fn Java_dalvik_system_VMRuntime_is64Bit<'l>(
    _: EnvUnowned<'l>,
    _: JObject<'l>,
) -> jboolean {
    true
}

/// `VMRuntime.newUnpaddedArray(component, length)`
#[unsafe(no_mangle)]
extern "system" fn Java_dalvik_system_VMRuntime_newUnpaddedArray<'l>(
    mut env: EnvUnowned<'l>,
    _: JObject<'l>,
    component: JClass<'l>,
    length: jint,
) -> JObject<'l> {
    env.with_env(|env| {
        // Array.newInstance(component, length)
        let signature = jni_sig!("(Ljava/lang/Class;I)Ljava/lang/Object;");
        let arguments = [(&component).into(), length.into()];
        env.call_static_method(
            jni_str!("java/lang/reflect/Array"),
            jni_str!("newInstance"),
            signature,
            &arguments,
        )?
        .into_object()
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}
