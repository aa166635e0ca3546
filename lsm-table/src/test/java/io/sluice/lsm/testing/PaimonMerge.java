package io.sluice.lsm.testing;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.KeyValue;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.mergetree.compact.ReducerMergeFunctionWrapper;
import org.apache.paimon.schema.SchemaValidation;
import org.apache.paimon.table.PrimaryKeyTableUtils;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.utils.UserDefinedSeqComparator;
import org.jspecify.annotations.Nullable;

/** Paimon 1.4.2's own merge functions over records of one key, without a table on disk. */
public final class PaimonMerge {

  /** A record, or what a merge gives. */
  public record Record(RowKind kind, long sequence, BinaryRow row) {}

  private final org.apache.paimon.schema.TableSchema schema;
  private final ReducerMergeFunctionWrapper function;
  private final @Nullable UserDefinedSeqComparator order;

  /** Throws whatever Paimon throws if it refuses the options. */
  public PaimonMerge(TableSchema ours) {
    schema =
        org.apache.paimon.schema.TableSchema.fromJson(
            new String(TableSchemaJson.write(ours), StandardCharsets.UTF_8));
    SchemaValidation.validateTableSchema(schema);
    function =
        new ReducerMergeFunctionWrapper(
            PrimaryKeyTableUtils.createMergeFunctionFactory(schema).create());
    order =
        UserDefinedSeqComparator.create(
            schema.logicalRowType(), CoreOptions.fromMap(schema.options()));
  }

  /** The records in the order in which they are merged. */
  public List<Record> inOrder(List<Record> records) {
    Comparator<Record> byNumber = Comparator.comparingLong(Record::sequence);
    UserDefinedSeqComparator byFields = order;
    return records.stream()
        .sorted(
            byFields == null
                ? byNumber
                : ((Comparator<Record>)
                        (a, b) ->
                            byFields.compare(
                                PaimonOracle.theirs(a.row()), PaimonOracle.theirs(b.row())))
                    .thenComparing(byNumber))
        .toList();
  }

  /** Kind, number and columns of what the records become; null if nothing. */
  public @Nullable Map<String, String> merge(List<Record> records) {
    function.reset();
    org.apache.paimon.data.BinaryRow key = new org.apache.paimon.data.BinaryRow(0);
    for (Record record : inOrder(records)) {
      function.add(
          new KeyValue()
              .replace(
                  key,
                  record.sequence(),
                  org.apache.paimon.types.RowKind.fromByteValue(record.kind().toByte()),
                  PaimonOracle.theirs(record.row())));
    }
    KeyValue result = function.getResult();
    if (result == null) {
      return null;
    }
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("_kind", result.valueKind().shortString());
    texts.put("_sequence", Long.toString(result.sequenceNumber()));
    texts.putAll(PaimonOracle.render(schema.fields(), result.value()));
    for (int i = 0; i < schema.fields().size(); i++) {
      DataField field = schema.fields().get(i);
      if (tooLong(field, result.value(), i)) {
        // In files, and for us at once, it is NULL.
        texts.put(field.name(), null);
      }
    }
    return texts;
  }

  private static boolean tooLong(DataField field, InternalRow row, int column) {
    if (field.type().getTypeRoot() != DataTypeRoot.DECIMAL || row.isNullAt(column)) {
      return false;
    }
    DecimalType type = (DecimalType) field.type();
    return row.getDecimal(column, type.getPrecision(), type.getScale()).toBigDecimal().precision()
        > type.getPrecision();
  }
}
