package dev.retap.jvmphone.prepare;

import java.io.IOException;
import java.util.List;
import org.jacoco.core.instr.Instrumenter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Inserts JaCoCo's probes into the app's classes. Probes are numbered in the order of the dex
 * files' classes: an APK has the same numbers in every process of every phone.
 */
final class Counted {
  private static final String PROBES = "dev/retap/jvmphone/app/Probes";

  /** Packages of common libraries, which are not counted. */
  private static final List<String> LIBRARIES =
      List.of(
          "android/", "androidx/", "com/google/android/material/", "j$/", "kotlin/", "kotlinx/");

  private int probes;
  private int uncounted;

  /** Returns the class with probes, or unchanged if it is a library's or cannot have probes. */
  byte[] apply(String name, byte[] bytes) {
    if (LIBRARIES.stream().anyMatch(name::startsWith)) {
      return bytes;
    }
    int[] own = {0};
    Instrumenter instrumenter =
        new Instrumenter(
            (id, className, count, code) -> {
              own[0] = count;
              return access(code, probes, count);
            });
    try {
      byte[] counted = instrumenter.instrument(bytes, name);
      probes += own[0];
      return counted;
    } catch (IOException e) {
      // A method that probes would make too long, or an app that was built with probes.
      uncounted++;
      return bytes;
    }
  }

  /** Number of probes. */
  int probes() {
    return probes;
  }

  /** Number of classes that could not get probes. */
  int uncounted() {
    return uncounted;
  }

  /** Pushes the class's probes. Returns the stack size that this needs. */
  private static int access(MethodVisitor code, int first, int count) {
    code.visitLdcInsn(first);
    code.visitLdcInsn(count);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, "of", "(II)[Z", false);
    return 2;
  }
}
