package dev.retap.jvmphone.direct;

import android.graphics.Point;
import android.graphics.Rect;
import java.util.List;

/** Random choices of the benchmark, the same as in host/src/bench/device/walk.rs. */
final class RandomTaps {
  private static final long BACK = 16;
  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

  private long state;
  private long taps;
  private long backs;
  private long starts;
  private long digest;

  RandomTaps(long seed) {
    state = seed;
  }

  /** Point to tap; null for the back key. */
  Point choose(Tree tree) {
    List<Tree.Node> tapped = tree.tapped();
    note(tree.nodes.size());
    note(tapped.size());
    if (Long.remainderUnsigned(next(), BACK) == 0 || tapped.isEmpty()) {
      backs++;
      return null;
    }
    Point place = center(tapped.get((int) Long.remainderUnsigned(next(), tapped.size())).bounds());
    taps++;
    note(Integer.toUnsignedLong(place.x));
    note(Integer.toUnsignedLong(place.y));
    return place;
  }

  void started() {
    starts++;
    note(0);
  }

  /** Counts and a digest of all choices: equal for equal runs. */
  @Override
  public String toString() {
    return taps + " " + backs + " " + starts + " " + Long.toUnsignedString(digest);
  }

  /** Center, rounded towards zero; Rect rounds down. */
  private static Point center(Rect bounds) {
    return new Point(
        (int) (((long) bounds.left + bounds.right) / 2),
        (int) (((long) bounds.top + bounds.bottom) / 2));
  }

  private void note(long number) {
    digest = Long.rotateLeft((digest ^ number) * SPREAD, 32);
  }

  private long next() {
    state += SPREAD;
    long mixed = (state ^ state >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ mixed >>> 31;
  }
}
