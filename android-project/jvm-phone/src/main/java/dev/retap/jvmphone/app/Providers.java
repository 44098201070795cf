package dev.retap.jvmphone.app;

import android.app.Application;
import android.content.ContentProvider;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import dev.retap.jvmphone.server.EmptyProvider;
import org.robolectric.shadows.ShadowContentResolver;

/**
 * Content providers of the app, created before its Application's onCreate, and those of the phone's
 * own apps.
 */
final class Providers {
  private Providers() {}

  static void install(Application application, ClassLoader loader) {
    for (String authority : EmptyProvider.AUTHORITIES) {
      ProviderInfo info = new ProviderInfo();
      info.authority = authority;
      info.exported = true;
      EmptyProvider provider = new EmptyProvider();
      provider.attachInfo(application, info);
      ShadowContentResolver.registerProviderInternal(authority, provider);
    }
    ProviderInfo[] declared = declared(application);
    for (ProviderInfo info : declared == null ? new ProviderInfo[0] : declared) {
      try {
        ContentProvider provider =
            (ContentProvider) loader.loadClass(info.name).getDeclaredConstructor().newInstance();
        provider.attachInfo(application, info);
        for (String authority : info.authority.split(";")) {
          ShadowContentResolver.registerProviderInternal(authority, provider);
        }
      } catch (ReflectiveOperationException e) {
        throw new RuntimeException("Unable to get provider " + info.name, e);
      }
    }
  }

  private static ProviderInfo[] declared(Application application) {
    try {
      PackageManager packages = application.getPackageManager();
      PackageInfo info =
          packages.getPackageInfo(application.getPackageName(), PackageManager.GET_PROVIDERS);
      return info.providers;
    } catch (PackageManager.NameNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
