package dev.retap.jvmphone.server;

import android.app.Service;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import dev.retap.jvmphone.app.AppProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ServiceController;

/** Services of the app, started and bound. Other apps' services do not exist. */
public final class Services {
  private static final Map<ComponentName, Running> RUNNING = new LinkedHashMap<>();

  private Services() {}

  private static final class Running {
    final ServiceController<Service> controller;
    final List<ServiceConnection> bound = new ArrayList<>();
    IBinder binder;
    boolean bindCalled;
    boolean started;
    int starts;

    Running(ServiceController<Service> controller) {
      this.controller = controller;
    }
  }

  /** Starts a service. Returns null if there is no such service. */
  public static ComponentName start(Intent intent) {
    ComponentName component = resolve(intent);
    if (component != null) {
      post(
          () -> {
            Running running = running(component, intent);
            running.started = true;
            running.controller.get().onStartCommand(intent, 0, ++running.starts);
          });
    }
    return component;
  }

  public static boolean stop(Intent intent) {
    ComponentName component = resolve(intent);
    Running running = RUNNING.get(component);
    if (running == null) {
      return false;
    }
    running.started = false;
    post(() -> endIfIdle(component));
    return true;
  }

  /** Stops a service, unless it was started again later. */
  public static boolean stopSelf(Service service, int start) {
    for (Map.Entry<ComponentName, Running> entry : RUNNING.entrySet()) {
      Running running = entry.getValue();
      if (running.controller.get() == service && (start < 0 || start == running.starts)) {
        running.started = false;
        post(() -> endIfIdle(entry.getKey()));
        return true;
      }
    }
    return false;
  }

  public static boolean bind(Intent intent, ServiceConnection connection, int flags) {
    ComponentName component = resolve(intent);
    if (component == null) {
      return false;
    }
    if ((flags & Context.BIND_AUTO_CREATE) == 0 && !RUNNING.containsKey(component)) {
      return true;
    }
    post(
        () -> {
          Running running = running(component, intent);
          running.bound.add(connection);
          if (!running.bindCalled) {
            running.bindCalled = true;
            running.binder = running.controller.get().onBind(intent);
          }
          if (running.binder != null) {
            connection.onServiceConnected(component, running.binder);
          }
        });
    return true;
  }

  public static void unbind(ServiceConnection connection) {
    for (Map.Entry<ComponentName, Running> entry : RUNNING.entrySet()) {
      if (entry.getValue().bound.remove(connection)) {
        post(() -> endIfIdle(entry.getKey()));
      }
    }
  }

  /** Running services, in the order of their creation. */
  static List<Service> running() {
    return RUNNING.values().stream().map(running -> running.controller.get()).toList();
  }

  /** Drops all services of an ended process, without callbacks. */
  static void clear() {
    RUNNING.clear();
  }

  private static void endIfIdle(ComponentName component) {
    Running running = RUNNING.get(component);
    if (running != null && !running.started && running.bound.isEmpty()) {
      RUNNING.remove(component);
      running.controller.destroy();
    }
  }

  private static Running running(ComponentName component, Intent intent) {
    Running running = RUNNING.get(component);
    if (running == null) {
      running =
          new Running(
              ServiceController.of(
                  AppProcess.instantiate(Service.class, component.getClassName()), intent));
      RUNNING.put(component, running);
      running.controller.create();
    }
    return running;
  }

  private static ComponentName resolve(Intent intent) {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    ResolveInfo found = packages.resolveService(intent, 0);
    if (found == null || found.serviceInfo == null) {
      return null;
    }
    return new ComponentName(found.serviceInfo.packageName, found.serviceInfo.name);
  }

  private static void post(Runnable work) {
    new Handler(Looper.getMainLooper()).post(work);
  }
}
