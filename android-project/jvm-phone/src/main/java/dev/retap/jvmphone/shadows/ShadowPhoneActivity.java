package dev.retap.jvmphone.shadows;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.Activity;
import android.content.Intent;
import android.database.Cursor;
import android.os.Bundle;
import android.view.View;
import dev.retap.jvmphone.server.Server;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.reflector.ForType;

/**
 * Restores the framework's code where Robolectric only records calls: this phone's server handles
 * them.
 */
@Implements(className = "android.app.Activity")
public class ShadowPhoneActivity extends ShadowActivity {
  private Real real() {
    return reflector(Real.class, realActivity);
  }

  @Override
  @Implementation
  protected void finish() {
    real().finish();
  }

  @Override
  @Implementation
  protected void finishAndRemoveTask() {
    real().finishAndRemoveTask();
  }

  @Override
  @Implementation
  protected void finishAffinity() {
    real().finishAffinity();
  }

  @Override
  @Implementation
  protected void onBackPressed() {
    real().onBackPressed();
  }

  @Override
  @Implementation
  protected void setResult(int resultCode) {
    real().setResult(resultCode);
  }

  @Override
  @Implementation
  protected void setResult(int resultCode, Intent data) {
    real().setResult(resultCode, data);
  }

  @Override
  @Implementation
  protected View getCurrentFocus() {
    return real().getCurrentFocus();
  }

  @Override
  @Implementation
  protected void showDialog(int id) {
    real().showDialog(id);
  }

  @Override
  @Implementation
  protected boolean showDialog(int id, Bundle bundle) {
    return real().showDialog(id, bundle);
  }

  @Override
  @Implementation
  protected void dismissDialog(int id) {
    real().dismissDialog(id);
  }

  @Override
  @Implementation
  protected void removeDialog(int id) {
    real().removeDialog(id);
  }

  @Override
  @Implementation
  protected boolean isTaskRoot() {
    return real().isTaskRoot();
  }

  @Override
  @Implementation
  protected boolean moveTaskToBack(boolean nonRoot) {
    return real().moveTaskToBack(nonRoot);
  }

  @Override
  @Implementation
  protected void setRequestedOrientation(int orientation) {
    real().setRequestedOrientation(orientation);
  }

  @Override
  @Implementation
  protected int getRequestedOrientation() {
    return real().getRequestedOrientation();
  }

  @Override
  @Implementation
  protected void startManagingCursor(Cursor cursor) {
    real().startManagingCursor(cursor);
  }

  @Override
  @Implementation
  protected void stopManagingCursor(Cursor cursor) {
    real().stopManagingCursor(cursor);
  }

  @Override
  @Implementation
  protected void recreate() {
    Server.stack().relaunchSoon(realActivity);
  }

  @ForType(value = Activity.class, direct = true)
  interface Real {
    void finish();

    void finishAndRemoveTask();

    void finishAffinity();

    void onBackPressed();

    void setResult(int resultCode);

    void setResult(int resultCode, Intent data);

    View getCurrentFocus();

    void showDialog(int id);

    boolean showDialog(int id, Bundle bundle);

    void dismissDialog(int id);

    void removeDialog(int id);

    boolean isTaskRoot();

    boolean moveTaskToBack(boolean nonRoot);

    void setRequestedOrientation(int orientation);

    int getRequestedOrientation();

    void startManagingCursor(Cursor cursor);

    void stopManagingCursor(Cursor cursor);
  }
}
