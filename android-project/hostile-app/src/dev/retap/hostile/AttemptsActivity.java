package dev.retap.hostile;

import android.app.Activity;
import android.os.Bundle;
import android.widget.Button;
import android.widget.LinearLayout;

/** One button for each attempt. Its text says what came of it. */
public final class AttemptsActivity extends Activity {
  private LinearLayout content;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    content = new LinearLayout(this);
    content.setOrientation(LinearLayout.VERTICAL);
    offer("home", Attempts::readHome);
    offer("environment", Attempts::readEnvironment);
    offer("connect", Attempts::connect);
    offer("signal", Attempts::signal);
    offer("fork", () -> Attempts.fork(getFilesDir()));
    offer("disk", () -> Attempts.fillDisk(getFilesDir()));
    setContentView(content);
  }

  private void offer(String name, Attempt attempt) {
    Button button = new Button(this);
    button.setText(name);
    button.setAllCaps(false);
    button.setOnClickListener(view -> button.setText(name + ": " + result(attempt)));
    content.addView(button);
  }

  private static String result(Attempt attempt) {
    try {
      return attempt.succeeds() ? "succeeded" : "refused";
    } catch (Exception e) {
      System.err.println("an attempt failed: " + e);
      return "refused";
    }
  }

  /** Something that the app should not be able to do. Refused if it throws. */
  private interface Attempt {
    boolean succeeds() throws Exception;
  }
}
