package dev.retap.jvmphone.prepare;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Chunk of a compiled resource file: a type, a header, and content that may consist of chunks.
 * Reading outside of it throws IndexOutOfBoundsException, invalid sizes throw
 * IllegalArgumentException. Readers of a file catch both.
 */
final class Chunk {
  static final int STRING_POOL = 0x0001;
  static final int TABLE = 0x0002;
  static final int XML = 0x0003;
  static final int XML_START_ELEMENT = 0x0102;
  static final int XML_END_ELEMENT = 0x0103;
  static final int XML_RESOURCE_MAP = 0x0180;
  static final int TABLE_PACKAGE = 0x0200;
  static final int TABLE_TYPE = 0x0201;

  private static final int SMALLEST_HEADER = 8;

  final int type;
  final int headerSize;
  final int size;

  /** Bytes of this chunk only, including the header. */
  private final ByteBuffer bytes;

  private Chunk(ByteBuffer file, int at) {
    type = file.getShort(at) & 0xffff;
    headerSize = file.getShort(at + 2) & 0xffff;
    size = file.getInt(at + 4);
    if (headerSize < SMALLEST_HEADER || size < headerSize || size > file.limit() - at) {
      throw new IllegalArgumentException(
          "a chunk of "
              + size
              + " bytes with a header of "
              + headerSize
              + " at byte "
              + at
              + " of "
              + file.limit());
    }
    bytes = file.slice(at, size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Outermost chunk of a file. Bytes after it are ignored, as in the framework. */
  static Chunk of(byte[] file, int type) {
    Chunk chunk = new Chunk(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN), 0);
    if (chunk.type != type) {
      throw new IllegalArgumentException(
          "it starts with a chunk of type " + chunk.type + " instead of " + type);
    }
    return chunk;
  }

  int u8(int at) {
    return bytes.get(at) & 0xff;
  }

  int u16(int at) {
    return bytes.getShort(at) & 0xffff;
  }

  int i32(int at) {
    return bytes.getInt(at);
  }

  byte[] copy(int at, int length) {
    // Checked before allocating: the length may be hostile.
    byte[] copy = new byte[bytes.slice(at, length).remaining()];
    bytes.get(at, copy);
    return copy;
  }

  /** Chunk at an offset. */
  Chunk at(int at) {
    return new Chunk(bytes, at);
  }

  /** Chunks after the header. */
  Iterable<Chunk> content() {
    return () ->
        new java.util.Iterator<>() {
          private int at = headerSize;

          @Override
          public boolean hasNext() {
            return at + SMALLEST_HEADER <= size;
          }

          @Override
          public Chunk next() {
            Chunk next = at(at);
            at += next.size;
            return next;
          }
        };
  }
}
