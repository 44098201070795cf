package android.hardware.display;

import android.view.DisplayInfo;

public final class DisplayManagerGlobal {
  public static DisplayManagerGlobal getInstance() {
    return new DisplayManagerGlobal();
  }

  public DisplayInfo getDisplayInfo(int display) {
    return new DisplayInfo();
  }
}
