package dev.retap.sample;

import android.app.Activity;
import android.app.AlertDialog;
import android.os.SystemClock;
import android.widget.TextView;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** Tools of the third tab. */
final class Tools {
  private final Activity activity;
  private final Store store;

  Tools(Activity activity, Store store) {
    this.activity = activity;
    this.store = store;
  }

  /** Exports the tasks, on another thread. */
  void export() {
    say("Exporting…");
    List<Task> tasks = store.tasks();
    new Thread(() -> export(tasks), "export").start();
  }

  private void export(List<Task> tasks) {
    StringBuilder text = new StringBuilder();
    for (Task task : tasks) {
      if (task.done) {
        // Planted: completed tasks cannot be exported.
        throw new IllegalStateException("cannot export “" + task.name + "”, which is done");
      }
      text.append(task.line()).append('\n');
    }
    int length = text.length();
    activity.runOnUiThread(() -> say("Exported " + length + " characters."));
  }

  void askToSynchronise() {
    new AlertDialog.Builder(activity)
        .setMessage("Synchronise with the server?")
        .setPositiveButton("Now", (dialog, which) -> synchronise())
        .setNegativeButton("Later", null)
        .show();
  }

  /** Planted: waits on the main thread for a message of that thread. */
  private void synchronise() {
    CountDownLatch answered = new CountDownLatch(1);
    new android.os.Handler(activity.getMainLooper()).post(answered::countDown);
    try {
      answered.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    say("Synchronised.");
  }

  /**
   * Planted: fails at random. The seed is the phone's clock, so a phone with a repeatable clock
   * repeats it.
   */
  void share() {
    if (new Random(SystemClock.uptimeMillis()).nextInt(100) < store.chance()) {
      throw new UnsupportedOperationException("the receiver was not ready");
    }
    say("Shared.");
  }

  private void say(String text) {
    ((TextView) activity.findViewById(R.id.outcome)).setText(text);
  }
}
