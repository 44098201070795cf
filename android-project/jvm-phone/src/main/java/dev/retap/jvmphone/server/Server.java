package dev.retap.jvmphone.server;

import android.app.ActivityManager;
import android.app.IActivityManager;
import android.app.IActivityTaskManager;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.ResolveInfo;
import android.hardware.input.IInputManager;
import android.os.RemoteException;
import android.view.accessibility.IAccessibilityManager;
import dev.retap.jvmphone.Environment;
import dev.retap.jvmphone.Phone;
import dev.retap.jvmphone.direct.Direct;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowBuild;
import org.robolectric.shadows.ShadowServiceManager;
import org.robolectric.util.ReflectionHelpers;

/** System server of the phone: the parts that the agent and apps use. */
public final class Server {
  public static final int PID = 1_000;

  /** Uid of the hundredth installed app. */
  public static final int UID = 10_100;

  private static final String PACKAGE = Phone.about().getProperty("package");
  private static final Controller CONTROLLER = new Controller();
  private static final Stack STACK = new Stack();
  private static final AccessibilityServer ACCESSIBILITY = new AccessibilityServer();
  private static final List<String> GRANTED = new ArrayList<>();

  private static IActivityManager activityManager;
  private static IActivityTaskManager taskManager;

  private Server() {}

  /** Registers services, once, before the framework is set up: it caches what it finds. */
  public static void register() {
    ShadowServiceManager.addBinderService(
        "accessibility",
        IAccessibilityManager.class,
        ReflectionHelpers.createDelegatingProxy(IAccessibilityManager.class, ACCESSIBILITY));
    ShadowServiceManager.addBinderService(
        "input",
        IInputManager.class,
        ReflectionHelpers.createDelegatingProxy(IInputManager.class, new InputServer()));
  }

  /** Boots the phone: on the main thread, once, with the framework set up and no app running. */
  public static void boot() {
    attach();
    MainThread.start();
    Shell.start();
    Direct.startIfWanted();
  }

  /** Connects all parts to a new framework. */
  private static void attach() {
    ShadowBuild.setModel("JVM phone");
    Storage.attach();
    Fresh.attach();
    Surroundings.attach();
    Broadcasts.attach();
    ACCESSIBILITY.attach();
    Keyboard.attach();
    for (String permission : GRANTED) {
      grantNow(permission);
    }
  }

  /** Drops the app's process and the framework's state of it. */
  public static void forgetProcess() {
    STACK.clear();
    Services.clear();
    Environment.renew();
    attach();
  }

  static Void reportWindows() throws RemoteException {
    ACCESSIBILITY.reportWindows();
    return null;
  }

  /** Phone time of the last accessibility event. */
  public static long lastEvent() {
    return ACCESSIBILITY.lastEvent();
  }

  public static Controller controller() {
    return CONTROLLER;
  }

  public static Stack stack() {
    return STACK;
  }

  public static String packageName() {
    return PACKAGE;
  }

  public static synchronized IActivityManager activityManager() {
    if (activityManager == null) {
      activityManager =
          ReflectionHelpers.createDelegatingProxy(IActivityManager.class, new ActivityServer());
    }
    return activityManager;
  }

  public static synchronized IActivityTaskManager taskManager() {
    if (taskManager == null) {
      taskManager =
          ReflectionHelpers.createDelegatingProxy(IActivityTaskManager.class, new TaskServer());
    }
    return taskManager;
  }

  public static List<ActivityManager.RunningTaskInfo> runningTasks() {
    ActivityManager.RunningTaskInfo task = new ActivityManager.RunningTaskInfo();
    task.topActivity = STACK.top();
    return List.of(task);
  }

  /** Another app that handles the intent; null if there is none. */
  public static ResolveInfo otherApp(Intent intent) {
    if (intent.getComponent() != null || intent.getPackage() != null || !OtherApps.handle(intent)) {
      return null;
    }
    ResolveInfo other = new ResolveInfo();
    other.activityInfo = StandIn.info();
    other.activityInfo.applicationInfo = new ApplicationInfo(other.activityInfo.applicationInfo);
    other.activityInfo.applicationInfo.packageName = StandIn.COMPONENT.getPackageName();
    other.resolvePackageName = StandIn.COMPONENT.getPackageName();
    other.nonLocalizedLabel = StandIn.NAME;
    return other;
  }

  /** Grants a permission, until the app's data is cleared. */
  public static Void grant(String permission) {
    GRANTED.add(permission);
    grantNow(permission);
    return null;
  }

  static void revokeAll() {
    GRANTED.clear();
  }

  private static void grantNow(String permission) {
    Shadows.shadowOf(RuntimeEnvironment.getApplication()).grantPermissions(permission);
  }
}
