package dev.retap.sample;

import android.app.Activity;
import android.app.AlertDialog;
import android.content.Intent;
import android.os.Bundle;
import android.view.Menu;
import android.view.MenuItem;
import android.view.ScaleGestureDetector;
import android.widget.ArrayAdapter;
import android.widget.EditText;
import android.widget.ListView;
import android.widget.TabHost;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** Screen with three tabs: tasks, a counter and tools. */
public final class MainActivity extends Activity {
  private static final int MINUTE = 60;

  private Store store;
  private Tools tools;
  private List<Task> tasks = new ArrayList<>();
  private ArrayAdapter<String> lines;
  private int count;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    store = new Store(this);
    tools = new Tools(this, store);
    setContentView(R.layout.main);
    setTitle("Tasks of " + store.user());
    TabHost tabs = findViewById(android.R.id.tabhost);
    tabs.setup();
    tabs.addTab(tabs.newTabSpec("tasks").setIndicator("Tasks").setContent(R.id.tasks_tab));
    tabs.addTab(tabs.newTabSpec("counter").setIndicator("Counter").setContent(R.id.counter_tab));
    tabs.addTab(tabs.newTabSpec("tools").setIndicator("Tools").setContent(R.id.tools_tab));
    showTasks();
    showCounter();
    showZoom();
    findViewById(R.id.export).setOnClickListener(view -> tools.export());
    findViewById(R.id.synchronise).setOnClickListener(view -> tools.askToSynchronise());
    findViewById(R.id.share).setOnClickListener(view -> tools.share());
    findViewById(R.id.lock)
        .setOnClickListener(view -> startActivity(new Intent(this, LockActivity.class)));
    if (state != null) {
      count = state.getInt("count");
      tabs.setCurrentTab(state.getInt("tab"));
      count(0);
    }
  }

  @Override
  protected void onSaveInstanceState(Bundle state) {
    super.onSaveInstanceState(state);
    state.putInt("count", count);
    state.putInt("tab", ((TabHost) findViewById(android.R.id.tabhost)).getCurrentTab());
  }

  @Override
  protected void onResume() {
    super.onResume();
    refresh();
  }

  private void showTasks() {
    lines = new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, new ArrayList<>());
    ListView list = findViewById(R.id.tasks);
    list.setAdapter(lines);
    list.setOnItemClickListener(
        (parent, view, position, id) ->
            startActivity(
                new Intent(this, TaskActivity.class)
                    .putExtra(TaskActivity.ID, tasks.get(position).id)));
    list.setOnItemLongClickListener(
        (parent, view, position, id) -> askToDelete(tasks.get(position)));
    findViewById(R.id.add).setOnClickListener(view -> askForName());
  }

  private void refresh() {
    tasks = store.tasks();
    lines.clear();
    for (Task task : tasks) {
      lines.add(task.line());
    }
  }

  private void askForName() {
    EditText name = new EditText(this);
    name.setHint("Name");
    new AlertDialog.Builder(this)
        .setTitle("A new task")
        .setView(name)
        .setPositiveButton(
            "Add",
            (dialog, which) -> {
              store.save(new Task(store.next(), name.getText().toString(), false, "normal", ""));
              refresh();
            })
        .setNegativeButton("Cancel", null)
        .show();
  }

  private boolean askToDelete(Task task) {
    new AlertDialog.Builder(this)
        .setMessage("Delete “" + task.name + "”?")
        .setPositiveButton(
            "Delete",
            (dialog, which) -> {
              store.delete(task);
              refresh();
            })
        .setNegativeButton("Keep", null)
        .show();
    return true;
  }

  private void showCounter() {
    count(0);
    findViewById(R.id.more).setOnClickListener(view -> count(1));
    findViewById(R.id.less).setOnClickListener(view -> count(-1));
    // Planted: a count of zero is not handled.
    findViewById(R.id.average).setOnClickListener(view -> setTitle(MINUTE / count + " s for each"));
  }

  /** Pinch on the counter's tab: the title shows its direction. */
  private void showZoom() {
    ScaleGestureDetector fingers =
        new ScaleGestureDetector(
            this,
            new ScaleGestureDetector.SimpleOnScaleGestureListener() {
              private float zoom;

              @Override
              public boolean onScaleBegin(ScaleGestureDetector detector) {
                zoom = 1;
                return true;
              }

              @Override
              public boolean onScale(ScaleGestureDetector detector) {
                zoom *= detector.getScaleFactor();
                return true;
              }

              @Override
              public void onScaleEnd(ScaleGestureDetector detector) {
                setTitle(zoom > 1 ? "Zoomed in" : "Zoomed out");
              }
            });
    findViewById(R.id.counter_tab).setOnTouchListener((view, event) -> fingers.onTouchEvent(event));
  }

  private void count(int more) {
    count += more;
    ((TextView) findViewById(R.id.count)).setText(String.valueOf(count));
  }

  @Override
  public boolean onCreateOptionsMenu(Menu menu) {
    getMenuInflater().inflate(R.menu.main, menu);
    return true;
  }

  @Override
  public boolean onOptionsItemSelected(MenuItem item) {
    if (item.getItemId() == R.id.menu_settings) {
      startActivity(new Intent(this, SettingsActivity.class));
    } else if (item.getItemId() == R.id.menu_about) {
      new AlertDialog.Builder(this)
          .setMessage("An app with planted bugs.")
          .setPositiveButton("OK", null)
          .show();
    } else if (item.getItemId() == R.id.menu_trouble) {
      startActivity(new Intent(this, TroubleActivity.class));
    } else if (item.getItemId() == R.id.menu_surroundings) {
      startActivity(new Intent(this, SurroundingsActivity.class));
    } else if (item.getItemId() == R.id.menu_log_out) {
      store.setUser("");
      startActivity(new Intent(this, LoginActivity.class));
      finish();
    }
    return true;
  }
}
