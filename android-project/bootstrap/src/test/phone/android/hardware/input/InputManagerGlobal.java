package android.hardware.input;

import android.view.InputEvent;
import android.view.MotionEvent;
import dev.retap.agent.FakePhone;

public final class InputManagerGlobal {
  private static final int ACTION_UP = 1;

  public static InputManagerGlobal getInstance() {
    return new InputManagerGlobal();
  }

  public boolean injectInputEvent(InputEvent event, int mode) {
    MotionEvent motion = (MotionEvent) event;
    if (motion.action == ACTION_UP) {
      FakePhone.tap(motion.y);
    }
    return true;
  }
}
