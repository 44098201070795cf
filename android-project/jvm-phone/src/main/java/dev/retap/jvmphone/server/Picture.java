package dev.retap.jvmphone.server;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.hardware.display.DisplayManagerGlobal;
import android.view.DisplayInfo;
import android.view.WindowManager;
import java.util.List;

/** Screenshots: every window drawn by its own views, bottom first. */
public final class Picture {
  private static final int DIMMED = 0x99000000;

  /** Last screenshot of an app that failed; null once an app runs again. */
  private static Bitmap kept;

  private Picture() {}

  public static Bitmap take() {
    List<Windows.Shown> shown = Windows.shown();
    if (shown.isEmpty() && kept != null) {
      return kept.copy(Bitmap.Config.ARGB_8888, false);
    }
    Bitmap picture = blank();
    shown.forEach(window -> draw(window, new Canvas(picture)));
    return picture;
  }

  /**
   * Keeps a screenshot of an app that failed, before its process ends: a display keeps showing it,
   * and the report needs it. Windows that cannot be drawn are left out.
   */
  public static void keep() {
    kept = blank();
    for (Windows.Shown window : Windows.shown()) {
      try {
        draw(window, new Canvas(kept));
      } catch (Throwable e) {
        System.err.println("warning: a window of the app that failed cannot be drawn: " + e);
      }
    }
  }

  public static void forget() {
    kept = null;
  }

  private static void draw(Windows.Shown window, Canvas canvas) {
    if ((window.params().flags & WindowManager.LayoutParams.FLAG_DIM_BEHIND) != 0) {
      canvas.drawColor(DIMMED);
    }
    canvas.translate(window.bounds().left, window.bounds().top);
    window.view().draw(canvas);
  }

  private static Bitmap blank() {
    DisplayInfo display =
        DisplayManagerGlobal.getInstance().getDisplayInfo(android.view.Display.DEFAULT_DISPLAY);
    Bitmap blank =
        Bitmap.createBitmap(display.logicalWidth, display.logicalHeight, Bitmap.Config.ARGB_8888);
    new Canvas(blank).drawColor(Color.BLACK);
    return blank;
  }
}
