package dev.retap.jvmphone.server;

import android.app.Activity;
import android.content.ComponentName;
import android.content.pm.ActivityInfo;
import android.os.Bundle;
import android.widget.TextView;
import org.robolectric.RuntimeEnvironment;

/** Stand-in for any other app: shows the action that was requested. */
public final class StandIn extends Activity {
  static final String FOR_RESULT = "dev.retap.jvmphone.FOR_RESULT";
  static final String NAME = "Another app";
  static final ComponentName COMPONENT =
      new ComponentName("dev.retap.other", StandIn.class.getName());
  static final ComponentName HOME = new ComponentName("dev.retap.home", "dev.retap.home.Home");

  static ActivityInfo info() {
    ActivityInfo info = new ActivityInfo();
    info.packageName = COMPONENT.getPackageName();
    info.name = COMPONENT.getClassName();
    info.applicationInfo = RuntimeEnvironment.getApplication().getApplicationInfo();
    info.theme = android.R.style.Theme_DeviceDefault_Light;
    info.screenOrientation = ActivityInfo.SCREEN_ORIENTATION_UNSPECIFIED;
    return info;
  }

  @Override
  public String getPackageName() {
    return COMPONENT.getPackageName();
  }

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setTitle(NAME);
    TextView text = new TextView(this);
    text.setText("Another app was asked for " + getIntent().getAction());
    setContentView(text);
  }
}
