package org.robolectric.res.android;

import java.nio.ByteBuffer;
import org.robolectric.res.android.ResourceTypes.ResTable_type;
import org.robolectric.res.android.ResourceTypes.ResTable_typeSpec;

/**
 * Two lookups in a resource table, as Android does them. Robolectric reads the entire table for
 * each, a quarter of a phone's work. In Robolectric's package because the table is package-private.
 */
final class ResourceLookup {
  private static final int SPARSE_ENTRY_BYTES = 4;

  private ResourceLookup() {}

  /** Offset of an entry from the first one; -1 if there is none. */
  static int entryOffset(ResTable_type type, int index) {
    if ((type.flags & ResTable_type.FLAG_SPARSE) == 0) {
      return index < type.entryCount ? type.entryOffset(index) : ResTable_type.NO_ENTRY;
    }
    ByteBuffer table = type.myBuf();
    int first = type.myOffset() + type.header.headerSize;
    int low = 0;
    int high = type.entryCount - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int at = first + middle * SPARSE_ENTRY_BYTES;
      int found = Short.toUnsignedInt(table.getShort(at));
      if (found == index) {
        return 4 * Short.toUnsignedInt(table.getShort(at + 2));
      } else if (found < index) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return ResTable_type.NO_ENTRY;
  }

  /** Configuration changes that affect an entry. */
  static int flags(ResTable_typeSpec spec, int index) {
    if (index >= spec.entryCount) {
      return 0;
    }
    return spec.myBuf().getInt(spec.myOffset() + spec.header.headerSize + 4 * index);
  }
}
