package dev.retap.sample;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** Screen with three buttons and a combination. */
public final class LockActivity extends Activity {
  /** Planted: the combination crashes. */
  private static final String COMBINATION = "RGGBRB";

  private String pressed = "";

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    setContentView(R.layout.lock);
    setTitle("Lock");
    findViewById(R.id.red).setOnClickListener(view -> press('R'));
    findViewById(R.id.green).setOnClickListener(view -> press('G'));
    findViewById(R.id.blue).setOnClickListener(view -> press('B'));
  }

  private void press(char button) {
    pressed += button;
    if (!COMBINATION.startsWith(pressed)) {
      pressed = "";
    }
    if (pressed.equals(COMBINATION)) {
      throw new AssertionError("unlocked");
    }
    ((TextView) findViewById(R.id.pressed)).setText("Locked");
  }
}
