package dev.retap.jvmphone.server;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.view.DisplayInfo;
import android.hardware.display.DisplayManagerGlobal;

/** The display's pixels: every window drawn by its own views, bottom first. */
public final class Picture {
    private static final int DIMMED = 0x99000000;

    private Picture() {}

    public static Bitmap take() {
        DisplayInfo display =
                DisplayManagerGlobal.getInstance().getDisplayInfo(android.view.Display.DEFAULT_DISPLAY);
        Bitmap picture =
                Bitmap.createBitmap(display.logicalWidth, display.logicalHeight, Bitmap.Config.ARGB_8888);
        Canvas canvas = new Canvas(picture);
        canvas.drawColor(Color.BLACK);
        for (Windows.Shown window : Windows.shown()) {
            if ((window.params().flags & android.view.WindowManager.LayoutParams.FLAG_DIM_BEHIND) != 0) {
                canvas.drawColor(DIMMED);
            }
            int saved = canvas.save();
            canvas.translate(window.bounds().left, window.bounds().top);
            window.view().draw(canvas);
            canvas.restoreToCount(saved);
        }
        return picture;
    }
}
