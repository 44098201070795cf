package dev.retap.sample;

/** Task of the list. */
final class Task {
  final int id;
  final String name;
  final boolean done;
  final String priority;
  final String tag;

  Task(int id, String name, boolean done, String priority, String tag) {
    this.id = id;
    this.name = name;
    this.done = done;
    this.priority = priority;
    this.tag = tag;
  }

  String line() {
    return (done ? "✓ " : "") + name + (tag.isEmpty() ? "" : " #" + tag);
  }
}
