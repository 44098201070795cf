package dev.retap.jvmphone.prepare;

import java.io.IOException;
import java.util.List;
import org.jacoco.core.instr.Instrumenter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The app's classes with JaCoCo's probes in them. Probes are numbered in the order in which classes
 * come, which is the dex files': the same APK has the same numbers in every process of every phone.
 */
final class Counted {
  private static final String PROBES = "dev/retap/jvmphone/app/Probes";

  /** What nearly every app carries and nobody wrote for it. */
  private static final List<String> LIBRARIES =
      List.of(
          "android/", "androidx/", "com/google/android/material/", "j$/", "kotlin/", "kotlinx/");

  private int probes;
  private int uncounted;

  /** The class with probes, or as it is if it is a library's or cannot have any. */
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
      // A method that would be too long with them, or an app that was built with probes of its own.
      uncounted++;
      return bytes;
    }
  }

  /** How many probes there are. */
  int probes() {
    return probes;
  }

  /** How many classes could have none. */
  int uncounted() {
    return uncounted;
  }

  /** Leaves the class's probes on the stack, and tells how much of the stack that takes. */
  private static int access(MethodVisitor code, int first, int count) {
    code.visitLdcInsn(first);
    code.visitLdcInsn(count);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, "of", "(II)[Z", false);
    return 2;
  }
}
