package dev.retap.sample;

import android.content.Context;
import android.content.SharedPreferences;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** State of the app, in its preferences. */
final class Store {
  static final int CHANCE = 20;
  private static final String[] FIRST = {
    "Buy milk", "Call Ada", "Water the plants", "Read the mail", "Book a train"
  };

  private final SharedPreferences preferences;

  Store(Context context) {
    preferences = context.getSharedPreferences("sample", Context.MODE_PRIVATE);
    if (!preferences.contains("next")) {
      for (String name : FIRST) {
        save(new Task(next(), name, false, "normal", ""));
      }
    }
  }

  List<Task> tasks() {
    List<Task> tasks = new ArrayList<>();
    for (int id = 1; id < preferences.getInt("next", 1); id++) {
      Task task = task(id);
      if (task != null && !(onlyOpen() && task.done)) {
        tasks.add(task);
      }
    }
    if (byName()) {
      tasks.sort(Comparator.comparing((Task task) -> task.name));
    }
    return tasks;
  }

  /** Task with this id; null if it was deleted. */
  Task task(int id) {
    String name = preferences.getString(id + ".name", null);
    return name == null
        ? null
        : new Task(
            id,
            name,
            preferences.getBoolean(id + ".done", false),
            preferences.getString(id + ".priority", "normal"),
            preferences.getString(id + ".tag", ""));
  }

  int next() {
    int next = preferences.getInt("next", 1);
    preferences.edit().putInt("next", next + 1).apply();
    return next;
  }

  void save(Task task) {
    preferences
        .edit()
        .putString(task.id + ".name", task.name)
        .putBoolean(task.id + ".done", task.done)
        .putString(task.id + ".priority", task.priority)
        .putString(task.id + ".tag", task.tag)
        .apply();
  }

  void delete(Task task) {
    preferences.edit().remove(task.id + ".name").apply();
  }

  /** Name of the user; empty if nobody is logged in. */
  String user() {
    return preferences.getString("user", "");
  }

  void setUser(String user) {
    preferences.edit().putString("user", user).apply();
  }

  /** Number of broadcasts received from other apps. */
  int greetings() {
    return preferences.getInt("greetings", 0);
  }

  void addGreeting() {
    preferences.edit().putInt("greetings", greetings() + 1).apply();
  }

  boolean onlyOpen() {
    return preferences.getBoolean("only_open", false);
  }

  void setOnlyOpen(boolean on) {
    preferences.edit().putBoolean("only_open", on).apply();
  }

  boolean byName() {
    return preferences.getBoolean("by_name", false);
  }

  void setByName(boolean on) {
    preferences.edit().putBoolean("by_name", on).apply();
  }

  /**
   * How often "Share" fails, in percent. On a JVM phone -Dretap.sample.chance overrides the
   * setting.
   */
  int chance() {
    return Integer.getInteger("retap.sample.chance", preferences.getInt("chance", CHANCE));
  }

  void setChance(int percent) {
    preferences.edit().putInt("chance", percent).apply();
  }
}
