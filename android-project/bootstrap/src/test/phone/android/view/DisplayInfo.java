package android.view;

import dev.retap.agent.Cardboard;

public final class DisplayInfo {
  public int logicalWidth = Cardboard.WIDTH;
  public int logicalHeight = Cardboard.HEIGHT;
  public int logicalDensityDpi = 160;
  public int rotation = 0;
}
