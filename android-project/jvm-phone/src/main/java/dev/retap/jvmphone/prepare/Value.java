package dev.retap.jvmphone.prepare;

/** Value in a resource file: a kind, and a number whose meaning depends on it. */
record Value(int kind, int data) {
  private static final int REFERENCE = 0x01;
  private static final int STRING = 0x03;
  private static final int DYNAMIC_REFERENCE = 0x07;
  private static final int FIRST_NUMBER = 0x10;
  private static final int BOOLEAN = 0x12;

  /** Value at an offset: two bytes of size, one unused, one of kind, four of data. */
  static Value at(Chunk chunk, int at) {
    return new Value(chunk.u8(at + 3), chunk.i32(at + 4));
  }

  boolean isReference() {
    return (kind == REFERENCE || kind == DYNAMIC_REFERENCE) && data != 0;
  }

  boolean isString() {
    return kind == STRING;
  }

  boolean isNumber() {
    return kind >= FIRST_NUMBER && kind < BOOLEAN;
  }

  boolean isFalse() {
    return kind == BOOLEAN && data == 0;
  }
}
