package io.sluice.lsm.schema;

import java.util.List;

/**
 * The type of a column or of a value inside one. Shapes, not kinds, are the records; {@link
 * #root()} tells the kind.
 */
public sealed interface DataType {

  /** STRING and BYTES are VARCHAR and VARBINARY of this length. */
  int MAX_LENGTH = Integer.MAX_VALUE;

  TypeRoot root();

  boolean nullable();

  /** The same type that admits null or does not. */
  DataType withNullable(boolean nullable);

  /** BOOLEAN, the integers, FLOAT, DOUBLE, DATE, VARIANT. */
  record PlainType(TypeRoot root, boolean nullable) implements DataType {
    public PlainType {
      switch (root) {
        case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DATE, VARIANT -> {}
        default -> throw new IllegalArgumentException(root + " takes parameters");
      }
    }

    @Override
    public PlainType withNullable(boolean nullable) {
      return new PlainType(root, nullable);
    }

    @Override
    public String toString() {
      return DataTypeText.print(this);
    }
  }

  /** CHAR, VARCHAR (characters), BINARY, VARBINARY (bytes); length 1 to 2^31-1. */
  record LengthType(TypeRoot root, int length, boolean nullable) implements DataType {
    public LengthType {
      if (!root.isText() && !root.isBytes()) {
        throw new IllegalArgumentException(root + " takes no length");
      }
      if (length < 1) {
        throw new IllegalArgumentException(root + " length must be at least 1, not " + length);
      }
    }

    @Override
    public LengthType withNullable(boolean nullable) {
      return new LengthType(root, length, nullable);
    }

    @Override
    public String toString() {
      return DataTypeText.print(this);
    }
  }

  /** DECIMAL; precision 1 to 38 digits, scale 0 to precision. */
  record DecimalType(int precision, int scale, boolean nullable) implements DataType {
    public static final int MAX_PRECISION = 38;

    /** Up to this precision a value is one long: its unscaled digits. */
    public static final int MAX_COMPACT_PRECISION = 18;

    public DecimalType {
      if (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
        throw new IllegalArgumentException(
            "DECIMAL(" + precision + ", " + scale + ") is not valid");
      }
    }

    @Override
    public TypeRoot root() {
      return TypeRoot.DECIMAL;
    }

    public boolean compact() {
      return precision <= MAX_COMPACT_PRECISION;
    }

    @Override
    public DecimalType withNullable(boolean nullable) {
      return new DecimalType(precision, scale, nullable);
    }

    @Override
    public String toString() {
      return DataTypeText.print(this);
    }
  }

  /** TIME, TIMESTAMP, TIMESTAMP_LTZ; precision 0 to 9 fraction digits. */
  record TemporalType(TypeRoot root, int precision, boolean nullable) implements DataType {
    /** Up to this precision a timestamp is one long: epoch milliseconds. */
    public static final int MAX_COMPACT_PRECISION = 3;

    public TemporalType {
      if (root != TypeRoot.TIME && root != TypeRoot.TIMESTAMP && root != TypeRoot.TIMESTAMP_LTZ) {
        throw new IllegalArgumentException(root + " takes no precision");
      }
      if (precision < 0 || precision > 9) {
        throw new IllegalArgumentException(root + "(" + precision + ") is not valid");
      }
    }

    public boolean compact() {
      return precision <= MAX_COMPACT_PRECISION;
    }

    @Override
    public TemporalType withNullable(boolean nullable) {
      return new TemporalType(root, precision, nullable);
    }

    @Override
    public String toString() {
      return DataTypeText.print(this);
    }
  }

  record ArrayType(DataType element, boolean nullable) implements DataType {
    @Override
    public TypeRoot root() {
      return TypeRoot.ARRAY;
    }

    @Override
    public ArrayType withNullable(boolean nullable) {
      return new ArrayType(element, nullable);
    }
  }

  record MapType(DataType key, DataType value, boolean nullable) implements DataType {
    @Override
    public TypeRoot root() {
      return TypeRoot.MAP;
    }

    @Override
    public MapType withNullable(boolean nullable) {
      return new MapType(key, value, nullable);
    }
  }

  record MultisetType(DataType element, boolean nullable) implements DataType {
    @Override
    public TypeRoot root() {
      return TypeRoot.MULTISET;
    }

    @Override
    public MultisetType withNullable(boolean nullable) {
      return new MultisetType(element, nullable);
    }
  }

  /** A nested ROW. The columns of a table are a {@link RowType}. */
  record NestedRowType(List<DataField> fields, boolean nullable) implements DataType {
    public NestedRowType {
      fields = List.copyOf(fields);
    }

    @Override
    public TypeRoot root() {
      return TypeRoot.ROW;
    }

    @Override
    public NestedRowType withNullable(boolean nullable) {
      return new NestedRowType(fields, nullable);
    }
  }
}
