package dev.retap.jvmphone.prepare;

import java.nio.charset.StandardCharsets;

/** Strings of a compiled resource file, by index. */
final class StringPool {
  private static final int HEADER = 28;
  private static final int UTF_8 = 1 << 8;

  private final Chunk chunk;
  private final int count;
  private final int start;
  private final boolean utf8;

  StringPool(Chunk chunk) {
    if (chunk.type != Chunk.STRING_POOL || chunk.headerSize < HEADER) {
      throw new IllegalArgumentException("a chunk of type " + chunk.type + " instead of texts");
    }
    this.chunk = chunk;
    count = chunk.i32(8);
    utf8 = (chunk.i32(16) & UTF_8) != 0;
    start = chunk.i32(20);
  }

  /** String at an index; null for the index that stands for none. */
  String get(int index) {
    if (index == -1) {
      return null;
    }
    if (index < 0 || index >= count) {
      throw new IllegalArgumentException("text " + index + " of " + count);
    }
    int at = Math.addExact(start, chunk.i32(chunk.headerSize + 4 * index));
    return utf8 ? utf8(at) : utf16(at);
  }

  /**
   * UTF-8 string. Two lengths precede the bytes, each of one or two bytes: in UTF-16 units and in
   * bytes.
   */
  private String utf8(int at) {
    at += chunk.u8(at) < 0x80 ? 1 : 2;
    int length = chunk.u8(at++);
    if (length >= 0x80) {
      length = (length & 0x7f) << 8 | chunk.u8(at++);
    }
    return new String(chunk.copy(at, length), StandardCharsets.UTF_8);
  }

  private String utf16(int at) {
    int length = chunk.u16(at);
    at += 2;
    if (length >= 0x8000) {
      length = (length & 0x7fff) << 16 | chunk.u16(at);
      at += 2;
    }
    return new String(chunk.copy(at, Math.multiplyExact(length, 2)), StandardCharsets.UTF_16LE);
  }
}
