package dev.retap.sample;

import android.app.Activity;
import android.content.Context;
import android.os.Bundle;
import android.os.Handler;
import android.view.View;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.TextView;

/**
 * Conditions that are hard for a test tool rather than for the app: too many views, a screen that
 * never settles, endless recursion, an exit.
 */
public final class TroubleActivity extends Activity {
  private static final int MANY = 5_000;
  private static final long FRAME_MILLIS = 16;

  private LinearLayout content;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    setTitle("Trouble");
    content = new LinearLayout(this);
    content.setOrientation(LinearLayout.VERTICAL);
    offer("5,000 views", this::fill);
    offer("Never quiet", this::tick);
    offer("Endless layout", () -> content.addView(new Endless(this)));
    offer("Exit", () -> System.exit(0));
    setContentView(content);
  }

  private void offer(String name, Runnable trouble) {
    Button button = new Button(this);
    button.setText(name);
    button.setAllCaps(false);
    button.setOnClickListener(view -> trouble.run());
    content.addView(button);
  }

  private void fill() {
    content.removeAllViews();
    for (int number = 0; number < MANY; number++) {
      TextView view = new TextView(this);
      view.setText("View " + number);
      content.addView(view);
    }
    setTitle("Many views");
  }

  private void tick() {
    setTitle("Busy");
    TextView clock = new TextView(this);
    content.addView(clock);
    Handler handler = new Handler(getMainLooper());
    handler.post(
        new Runnable() {
          private int ticks;

          @Override
          public void run() {
            clock.setText("Tick " + ++ticks);
            handler.postDelayed(this, FRAME_MILLIS);
          }
        });
  }

  /** View whose measurement recurses without end. */
  private static final class Endless extends View {
    Endless(Context context) {
      super(context);
    }

    @Override
    protected void onMeasure(int width, int height) {
      forceLayout();
      measure(width, height);
    }
  }
}
