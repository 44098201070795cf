package dev.retap.sample;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.TextView;

/** Login screen; a guest may enter too. */
public final class LoginActivity extends Activity {
  /** Intent extra: how often "Share" fails, in percent. */
  static final String CHANCE = "chance";

  private static final String PASSWORD = "retap";

  private Store store;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    store = new Store(this);
    if (getIntent().hasExtra(CHANCE)) {
      store.setChance(getIntent().getIntExtra(CHANCE, Store.CHANCE));
    }
    if (!store.user().isEmpty()) {
      openMain(store.user());
      return;
    }
    setContentView(R.layout.login);
    findViewById(R.id.guest).setOnClickListener(view -> openMain("guest"));
    findViewById(R.id.log_in).setOnClickListener(view -> logIn());
  }

  private void logIn() {
    String user = text(R.id.user);
    if (user.isEmpty()) {
      problem("Say who you are.");
    } else if (!text(R.id.password).equals(PASSWORD)) {
      problem("That is not the password.");
    } else {
      openMain(user);
    }
  }

  private void openMain(String user) {
    store.setUser(user);
    startActivity(new Intent(this, MainActivity.class));
    finish();
  }

  private void problem(String text) {
    ((TextView) findViewById(R.id.problem)).setText(text);
  }

  private String text(int id) {
    return ((TextView) findViewById(id)).getText().toString().trim();
  }
}
