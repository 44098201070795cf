package dev.retap.jvmphone.shadows;

import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.Bundle;
import android.os.Handler;
import android.os.UserHandle;
import dev.retap.jvmphone.app.AppProcess;
import dev.retap.jvmphone.server.Broadcasts;
import dev.retap.jvmphone.server.Server;
import dev.retap.jvmphone.server.Services;
import dev.retap.jvmphone.server.Storage;
import java.io.File;
import java.util.concurrent.Executor;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/** Context with the app's class loader, services, receivers and shared storage. */
@Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
public class ShadowPhoneContextImpl extends ShadowContextImpl {
  @Override
  @Implementation
  protected ClassLoader getClassLoader() {
    ClassLoader app = AppProcess.loader();
    return app == null ? getClass().getClassLoader() : app;
  }

  @Override
  @Implementation
  protected ComponentName startService(Intent service) {
    validateServiceIntent(service);
    return Services.start(service);
  }

  @Override
  @Implementation
  protected ComponentName startForegroundService(Intent service) {
    return startService(service);
  }

  @Override
  @Implementation
  protected boolean stopService(Intent service) {
    validateServiceIntent(service);
    return Services.stop(service);
  }

  @Override
  @Implementation
  protected boolean bindService(
      Intent service, int flags, Executor executor, ServiceConnection connection) {
    return bindService(service, connection, flags);
  }

  @Override
  @Implementation
  protected boolean bindService(Intent service, ServiceConnection connection, int flags) {
    validateServiceIntent(service);
    return Services.bind(service, connection, flags);
  }

  @Override
  @Implementation
  protected boolean bindServiceAsUser(
      Intent service, ServiceConnection connection, int flags, UserHandle user) {
    return bindService(service, connection, flags);
  }

  @Override
  @Implementation
  protected void unbindService(ServiceConnection connection) {
    Services.unbind(connection);
  }

  @Override
  @Implementation
  protected void sendBroadcast(Intent intent) {
    Broadcasts.send(intent, false, 0, null, null);
    super.sendBroadcast(intent);
  }

  @Override
  @Implementation
  protected void sendBroadcast(Intent intent, String permission) {
    Broadcasts.send(intent, false, 0, null, null);
    super.sendBroadcast(intent, permission);
  }

  @Override
  @Implementation
  protected void sendOrderedBroadcast(Intent intent, String permission) {
    Broadcasts.send(intent, true, 0, null, null);
    super.sendOrderedBroadcast(intent, permission);
  }

  @Override
  @Implementation
  protected void sendOrderedBroadcast(
      Intent intent,
      String permission,
      BroadcastReceiver last,
      Handler handler,
      int code,
      String data,
      Bundle extras) {
    Broadcasts.send(intent, true, code, data, extras);
    super.sendOrderedBroadcast(intent, permission, last, handler, code, data, extras);
  }

  @Override
  @Implementation
  protected File getExternalFilesDir(String type) {
    return getExternalFilesDirs(type)[0];
  }

  @Override
  @Implementation
  protected File[] getExternalFilesDirs(String type) {
    return new File[] {
      Storage.shared(
          "Android/data/" + Server.packageName() + "/files" + (type == null ? "" : "/" + type))
    };
  }

  @Implementation
  protected File[] getExternalCacheDirs() {
    return new File[] {Storage.shared("Android/data/" + Server.packageName() + "/cache")};
  }

  @Implementation
  protected File[] getObbDirs() {
    return new File[] {Storage.shared("Android/obb/" + Server.packageName())};
  }
}
