package android.os;

public final class Build {
  public static final String MODEL = "Cardboard 1";

  public static final class VERSION {
    public static final int SDK_INT = Integer.getInteger("phone.level", 28);
  }
}
