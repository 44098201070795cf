package android.view;

import dev.retap.agent.FakePhone;

public final class DisplayInfo {
  public int logicalWidth = FakePhone.WIDTH;
  public int logicalHeight = FakePhone.HEIGHT;
  public int logicalDensityDpi = 160;
  public int rotation = 0;
}
