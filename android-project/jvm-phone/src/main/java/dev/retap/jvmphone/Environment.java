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
 * Robolectric environment: set up when the bootstrap requests its system context, and again for
 * every process of the app.
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

  /** Starts the bootstrap in place of app_process. Does not return. */
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

  /** Boots the phone. Called by the bootstrap, through the framework. */
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

  /** Resets the state that an app's process has left in the framework. The clock keeps its time. */
  public static void renew() {
    long now = android.os.SystemClock.uptimeMillis();
    instance.resetState();
    Leftovers.forget();
    instance.setUp();
    android.os.SystemClock.setCurrentTimeMillis(now);
  }

  private void setUp() {
    // Without this, both differ from process to process.
    ShadowProcess.setUid(Server.UID);
    ShadowProcess.setPid(Server.PID);
    super.setUpApplicationState(folder, configuration, manifest);
    // As the framework does when a process starts. Otherwise the recorded stack of each unclosed
    // resource keeps the app's classes alive.
    CloseGuard.setEnabled(false);
  }
}
