package dev.retap.jvmphone.server;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.hardware.display.DisplayManagerGlobal;
import android.view.DisplayInfo;
import android.view.WindowManager;
import java.util.List;

/** The display's pixels: every window drawn by its own views, bottom first. */
public final class Picture {
  private static final int DIMMED = 0x99000000;

  /** What an app that failed left on the display; null if it has something newer to show. */
  private static Bitmap left;

  private Picture() {}

  public static Bitmap take() {
    List<Windows.Shown> shown = Windows.shown();
    if (shown.isEmpty() && left != null) {
      return left.copy(Bitmap.Config.ARGB_8888, false);
    }
    Bitmap picture = blank();
    shown.forEach(window -> draw(window, new Canvas(picture)));
    return picture;
  }

  /**
   * Before the process of an app that failed is gone: a display goes on showing what it showed, and
   * whoever hears of the failure wants to see that. What fails again at being drawn is left out.
   */
  public static void keep() {
    left = blank();
    for (Windows.Shown window : Windows.shown()) {
      try {
        draw(window, new Canvas(left));
      } catch (Throwable e) {
        System.err.println("warning: a window of the app that failed cannot be drawn: " + e);
      }
    }
  }

  public static void forget() {
    left = null;
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
