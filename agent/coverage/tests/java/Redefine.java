package example;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** Redefines a class after one of its methods has run, as a debugger does that applies changes. */
public final class Redefine {
  private static Instrumentation instrumentation;

  private Redefine() {}

  public static void premain(String options, Instrumentation given) {
    instrumentation = given;
  }

  public static void run() throws Exception {
    Subject.Changing.first();
    instrumentation.redefineClasses(
        new ClassDefinition(Subject.Changing.class, Subject.bytes("example/Subject$Changing")));
  }
}
