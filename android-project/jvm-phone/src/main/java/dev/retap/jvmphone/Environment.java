package dev.retap.jvmphone;

import dalvik.system.CloseGuard;
import dev.retap.jvmphone.app.Probes;
import dev.retap.jvmphone.server.Server;
import java.util.Properties;
import org.robolectric.android.internal.AndroidTestEnvironment;
import org.robolectric.config.ConfigurationRegistry;
import org.robolectric.internal.ShadowProvider;
import org.robolectric.manifest.AndroidManifest;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.TestEnvironmentLifecyclePlugin;
import org.robolectric.pluginapi.config.ConfigurationStrategy.Configuration;
import org.robolectric.shadows.ShadowProcess;

/**
 * The framework's surroundings: set up when the bootstrap asks for its system context, and anew for
 * every process.
 */
public final class Environment extends AndroidTestEnvironment {
  private static Environment instance;

  private String folder;
  private Configuration configuration;
  private AndroidManifest manifest;

  public Environment(
      @javax.inject.Named("runtimeSdk") Sdk runtimeSdk,
      @javax.inject.Named("compileSdk") Sdk compileSdk,
      ShadowProvider[] shadowProviders,
      TestEnvironmentLifecyclePlugin[] lifecyclePlugins) {
    super(runtimeSdk, compileSdk, shadowProviders, lifecyclePlugins);
  }

  /** Does not return: this is where the process that app_process would start begins. */
  @Override
  public void setUpApplicationState(
      String folder, Configuration configuration, AndroidManifest manifest) {
    this.folder = folder;
    this.configuration = configuration;
    this.manifest = manifest;
    instance = this;
    ConfigurationRegistry.instance = new ConfigurationRegistry(configuration.map());
    Properties about = Phone.about();
    Bootstrap.count(
        about.getProperty("package"),
        Integer.parseInt(about.getProperty("branches")),
        Probes::take);
    Bootstrap.main(System.getProperty(Phone.ARGUMENTS).split("\n"));
  }

  /** Called by the bootstrap, through the framework. */
  public static void boot() {
    try {
      Server.register();
      instance.setUp();
      Server.boot();
    } catch (Throwable e) {
      e.printStackTrace();
      Phone.fail("the phone could not be started: " + e);
    }
  }

  /** Everything that an app's process leaves behind in the framework goes. The clock goes on. */
  public static void renew() {
    long now = android.os.SystemClock.uptimeMillis();
    instance.resetState();
    Leftovers.forget();
    instance.setUp();
    android.os.SystemClock.setCurrentTimeMillis(now);
  }

  private void setUp() {
    // Another one in every process, if nobody says so.
    ShadowProcess.setUid(Server.UID);
    ShadowProcess.setPid(Server.PID);
    super.setUpApplicationState(folder, configuration, manifest);
    // As the framework does where a process begins: the stack of whoever opened what is never
    // closed holds its classes.
    CloseGuard.setEnabled(false);
  }
}
