package io.sluice.lsm.row;

/** What a record says of its key. The ordinal is the format's byte. */
public enum RowKind {
  INSERT("+I"),
  UPDATE_BEFORE("-U"),
  UPDATE_AFTER("+U"),
  DELETE("-D");

  private static final RowKind[] BY_BYTE = values();

  private final String shortText;

  RowKind(String shortText) {
    this.shortText = shortText;
  }

  /** 0 +I, 1 -U, 2 +U, 3 -D. */
  public byte toByte() {
    return (byte) ordinal();
  }

  public static RowKind of(byte value) {
    if (value < 0 || value > 3) {
      throw new IllegalArgumentException("No row kind has the byte " + value);
    }
    return BY_BYTE[value];
  }

  /** Whether the record takes a row away: -U and -D. */
  public boolean isRetract() {
    return this == UPDATE_BEFORE || this == DELETE;
  }

  public String shortText() {
    return shortText;
  }
}
