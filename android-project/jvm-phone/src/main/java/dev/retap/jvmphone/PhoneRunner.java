package dev.retap.jvmphone;

import java.lang.reflect.Method;
import java.util.Properties;
import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.internal.AndroidSandbox.TestEnvironmentSpec;
import org.robolectric.pluginapi.config.GlobalConfigProvider;
import org.robolectric.util.ReflectionHelpers;

/** Robolectric's runner as the entry into its sandbox: one test, as long as the phone runs. */
final class PhoneRunner extends RobolectricTestRunner {
  /** Display of 720 x 1280 pixels. */
  private static final String SCREEN = "en-rUS-w360dp-h640dp-port-xhdpi";

  private static final Class<?> PLAIN = plainApplication();

  PhoneRunner() throws InitializationError {
    super(
        PhoneTest.class,
        defaultInjector()
            .bind(TestEnvironmentSpec.class, new TestEnvironmentSpec(Environment.class))
            .bind(GlobalConfigProvider.class, PhoneRunner::config)
            .build());
  }

  /**
   * Placeholder that never runs: the environment starts the agent before the test, and the agent
   * ends the process.
   */
  public static final class PhoneTest {
    @org.junit.Test
    public void run() {}
  }

  @Override
  protected Properties getBuildSystemApiProperties() {
    Properties properties = new Properties();
    properties.setProperty("android_resource_apk", System.getProperty(Phone.APP) + "/app.apk");
    return properties;
  }

  /** Configuration with the framework's Application, until the app's process starts. */
  private static Config config() {
    Config.Builder builder = new Config.Builder().setSdk(Phone.LEVEL).setQualifiers(SCREEN);
    ReflectionHelpers.callInstanceMethod(
        builder, "setApplication", ReflectionHelpers.ClassParameter.from(Class.class, PLAIN));
    return builder.build();
  }

  /**
   * Defines an empty Application class. Robolectric's annotations need one outside of the sandbox,
   * where only its name matters.
   */
  private static Class<?> plainApplication() {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(
        Opcodes.V1_8,
        Opcodes.ACC_PUBLIC,
        "android/app/Application",
        null,
        "java/lang/Object",
        null);
    writer.visitEnd();
    byte[] bytes = writer.toByteArray();
    try {
      Method define =
          ClassLoader.class.getDeclaredMethod(
              "defineClass", String.class, byte[].class, int.class, int.class);
      define.setAccessible(true);
      ClassLoader loader = PhoneRunner.class.getClassLoader();
      return (Class<?>) define.invoke(loader, "android.app.Application", bytes, 0, bytes.length);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM cannot define a class from bytes", e);
    }
  }

  @Override
  protected Class<?>[] getExtraShadows(FrameworkMethod method) {
    return Shadows.ALL;
  }
}
