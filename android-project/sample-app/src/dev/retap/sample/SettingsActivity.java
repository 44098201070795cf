package dev.retap.sample;

import android.app.Activity;
import android.os.Bundle;
import android.widget.RadioButton;
import android.widget.SeekBar;
import android.widget.Switch;
import android.widget.TextView;

/** Settings: filter, order, and how often "Share" fails. */
public final class SettingsActivity extends Activity implements SeekBar.OnSeekBarChangeListener {
  private Store store;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    store = new Store(this);
    setContentView(R.layout.settings);
    setTitle("Settings");
    Switch onlyOpen = findViewById(R.id.only_open);
    onlyOpen.setChecked(store.onlyOpen());
    onlyOpen.setOnCheckedChangeListener((view, on) -> store.setOnlyOpen(on));
    RadioButton byName = findViewById(R.id.by_name);
    RadioButton byAge = findViewById(R.id.by_age);
    (store.byName() ? byName : byAge).setChecked(true);
    byName.setOnCheckedChangeListener((view, on) -> store.setByName(on));
    SeekBar chance = findViewById(R.id.chance);
    chance.setProgress(store.chance());
    chance.setOnSeekBarChangeListener(this);
    showChance();
  }

  @Override
  public void onProgressChanged(SeekBar bar, int percent, boolean byUser) {
    if (byUser) {
      store.setChance(percent);
      showChance();
    }
  }

  private void showChance() {
    ((TextView) findViewById(R.id.chance_label))
        .setText("“Share” fails in " + store.chance() + " of 100");
  }

  @Override
  public void onStartTrackingTouch(SeekBar bar) {}

  @Override
  public void onStopTrackingTouch(SeekBar bar) {}
}
