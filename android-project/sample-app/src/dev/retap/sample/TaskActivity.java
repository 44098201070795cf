package dev.retap.sample;

import android.app.Activity;
import android.app.AlertDialog;
import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.Spinner;
import android.widget.TextView;
import java.util.Arrays;
import java.util.List;

/** Screen that edits one task. */
public final class TaskActivity extends Activity {
  static final String ID = "id";

  private Store store;
  private Task task;
  private List<String> priorities;

  /** Planted: not saved on rotation, while the text that shows it is. */
  private String chosenTag;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    store = new Store(this);
    task = store.task(getIntent().getIntExtra(ID, 0));
    if (task == null) {
      finish();
      return;
    }
    setContentView(R.layout.task);
    setTitle("Task " + task.id);
    priorities = Arrays.asList(getResources().getStringArray(R.array.priorities));
    Spinner priority = findViewById(R.id.priority);
    priority.setAdapter(
        new ArrayAdapter<>(this, android.R.layout.simple_spinner_dropdown_item, priorities));
    if (state == null) {
      ((EditText) findViewById(R.id.name)).setText(task.name);
      ((CheckBox) findViewById(R.id.done)).setChecked(task.done);
      priority.setSelection(priorities.indexOf(task.priority));
    }
    findViewById(R.id.choose_tag).setOnClickListener(view -> chooseTag());
    findViewById(R.id.save).setOnClickListener(view -> save());
  }

  private void chooseTag() {
    String[] tags = getResources().getStringArray(R.array.tags);
    new AlertDialog.Builder(this)
        .setTitle("Choose a tag")
        .setItems(
            tags,
            (dialog, which) -> {
              chosenTag = tags[which];
              shownTag().setText(chosenTag);
            })
        .show();
  }

  private void save() {
    String tag = shownTag().length() == 0 ? task.tag : chosenTag.trim();
    store.save(
        new Task(
            task.id,
            ((EditText) findViewById(R.id.name)).getText().toString(),
            ((CheckBox) findViewById(R.id.done)).isChecked(),
            priorities.get(((Spinner) findViewById(R.id.priority)).getSelectedItemPosition()),
            tag));
    finish();
  }

  private TextView shownTag() {
    return findViewById(R.id.tag);
  }
}
