package dev.retap.jvmphone.shadows;

import android.app.Application;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.PackageManager.NameNotFoundException;
import android.content.pm.ResolveInfo;
import android.content.pm.Signature;
import android.content.pm.SigningInfo;
import android.graphics.drawable.Drawable;
import dev.retap.jvmphone.app.AppRuntime;
import dev.retap.jvmphone.server.Server;
import dev.retap.jvmphone.server.Signer;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowApplicationPackageManager;
import org.robolectric.shadows.ShadowSigningInfo;

/**
 * Answers queries about the app itself without Robolectric's copy of the entire manifest: they are
 * frequent.
 */
@Implements(className = "android.app.ApplicationPackageManager", isInAndroidSdk = false)
public class ShadowPhonePackageManager extends ShadowApplicationPackageManager {
  private static final Signature[] SYSTEM = {new Signature("30820122")};

  /** Signature of an unsigned APK, which no phone would install. */
  private static final Signature[] UNSIGNED = {new Signature("30820123")};

  @Override
  @Implementation
  protected ApplicationInfo getApplicationInfo(String packageName, int flags)
      throws NameNotFoundException {
    ApplicationInfo own = own(packageName);
    if (own != null) {
      if ((flags & PackageManager.GET_META_DATA) != 0) {
        own.metaData = super.getApplicationInfo(packageName, flags).metaData;
      }
      return own;
    }
    return super.getApplicationInfo(packageName, flags);
  }

  /** Text of the app's resources, such as labels; Robolectric has only texts that a test sets. */
  @Override
  @Implementation
  protected CharSequence getText(String packageName, int text, ApplicationInfo of) {
    Application application = RuntimeEnvironment.getApplication();
    if (application != null && Server.packageName().equals(packageName)) {
      return application.getResources().getText(text, null);
    }
    return super.getText(packageName, text, of);
  }

  @Override
  @Implementation
  protected Drawable getApplicationIcon(String packageName) throws NameNotFoundException {
    return icon(getApplicationInfo(packageName, 0));
  }

  @Override
  @Implementation
  protected Drawable getApplicationIcon(ApplicationInfo info) {
    return icon(info);
  }

  private static Drawable icon(ApplicationInfo info) {
    Application application = RuntimeEnvironment.getApplication();
    boolean own = info.icon != 0 && Server.packageName().equals(info.packageName);
    return application.getDrawable(own ? info.icon : android.R.drawable.sym_def_app_icon);
  }

  @Override
  @Implementation
  protected PackageInfo getPackageInfo(String packageName, int flags) throws NameNotFoundException {
    PackageInfo info = super.getPackageInfo(packageName, flags);
    complete(info, flags);
    return info;
  }

  @Override
  @Implementation
  public List<PackageInfo> getInstalledPackages(int flags) {
    List<PackageInfo> all = super.getInstalledPackages(flags);
    all.forEach(info -> complete(info, flags));
    return all;
  }

  @Override
  @Implementation
  protected List<ApplicationInfo> getInstalledApplications(int flags) {
    List<ApplicationInfo> all = new ArrayList<>();
    for (ApplicationInfo info : super.getInstalledApplications(flags)) {
      all.add(own(info.packageName) == null ? info : own(info.packageName));
    }
    return all;
  }

  @Implementation
  protected PackageInfo getPackageInfo(String packageName, PackageManager.PackageInfoFlags flags)
      throws NameNotFoundException {
    return getPackageInfo(packageName, (int) flags.getValue());
  }

  @Implementation
  protected ApplicationInfo getApplicationInfo(
      String packageName, PackageManager.ApplicationInfoFlags flags) throws NameNotFoundException {
    return getApplicationInfo(packageName, (int) flags.getValue());
  }

  @Implementation
  protected List<PackageInfo> getInstalledPackages(PackageManager.PackageInfoFlags flags) {
    return getInstalledPackages((int) flags.getValue());
  }

  @Implementation
  protected List<ApplicationInfo> getInstalledApplications(
      PackageManager.ApplicationInfoFlags flags) {
    return getInstalledApplications((int) flags.getValue());
  }

  /** Completes a package's info: every package has an installation time and a signature. */
  private static void complete(PackageInfo info, int flags) {
    ApplicationInfo own = own(info.packageName);
    if (own != null && info.applicationInfo != null) {
      own.metaData = info.applicationInfo.metaData;
      info.applicationInfo = own;
    }
    info.firstInstallTime = AppRuntime.BOOT_MILLIS;
    info.lastUpdateTime = AppRuntime.BOOT_MILLIS;
    boolean details = (flags & PackageManager.GET_SIGNING_CERTIFICATES) != 0;
    if (!details && (flags & PackageManager.GET_SIGNATURES) == 0) {
      return;
    }
    Signature[] signatures = own == null ? SYSTEM : Signer.of(own.sourceDir);
    info.signatures = signatures.length == 0 ? UNSIGNED : signatures;
    if (details && signatures.length > 0) {
      info.signingInfo = new SigningInfo();
      Shadow.<ShadowSigningInfo>extract(info.signingInfo).setSignatures(signatures);
    }
  }

  @Override
  @Implementation
  protected int checkSignatures(String one, String other) {
    boolean both = isInstalled(one) && isInstalled(other);
    return !both
        ? PackageManager.SIGNATURE_UNKNOWN_PACKAGE
        : one.equals(other) ? PackageManager.SIGNATURE_MATCH : PackageManager.SIGNATURE_NO_MATCH;
  }

  private boolean isInstalled(String packageName) {
    try {
      return super.getPackageInfo(packageName, 0) != null;
    } catch (NameNotFoundException e) {
      return false;
    }
  }

  /** Info of the app itself; null for another package. */
  private static ApplicationInfo own(String packageName) {
    Application application = RuntimeEnvironment.getApplication();
    boolean is = application != null && Server.packageName().equals(packageName);
    return is ? new ApplicationInfo(application.getApplicationInfo()) : null;
  }

  /** Returns the activities that a start would reach. */
  @Override
  @Implementation
  protected List<ResolveInfo> queryIntentActivities(Intent intent, int flags) {
    List<ResolveInfo> found = super.queryIntentActivities(intent, flags);
    ResolveInfo other = found.isEmpty() ? Server.otherApp(intent) : null;
    return other == null ? found : List.of(other);
  }

  @Override
  @Implementation
  protected ResolveInfo resolveActivity(Intent intent, int flags) {
    ResolveInfo found = super.resolveActivity(intent, flags);
    return found == null ? Server.otherApp(intent) : found;
  }
}
