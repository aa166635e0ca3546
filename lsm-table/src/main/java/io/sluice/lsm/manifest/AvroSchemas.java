package io.sluice.lsm.manifest;

import org.apache.avro.Schema;

/**
 * The Avro schemas of the two kinds of files, spelled as Paimon 1.4.2 spells them (format
 * description sections 4.1 and 4.2): nullable is {@code ["null", T]} with default null, nested
 * records are named after their parents.
 */
final class AvroSchemas {

  private static final String STATS =
      "{'type':'record','name':'%s','fields':[{'name':'_MIN_VALUES','type':'bytes'},"
          + "{'name':'_MAX_VALUES','type':'bytes'},{'name':'_NULL_COUNTS','type':"
          + "['null',{'type':'array','items':['null','long']}],'default':null}]}";

  static final Schema MANIFEST_LIST =
      parse(
          record("record", "'namespace':'org.apache.paimon.avro.generated',"),
          field("_VERSION", "'int'"),
          field("_FILE_NAME", "'string'"),
          field("_FILE_SIZE", "'long'"),
          field("_NUM_ADDED_FILES", "'long'"),
          field("_NUM_DELETED_FILES", "'long'"),
          field("_PARTITION_STATS", String.format(STATS, "record__PARTITION_STATS")),
          field("_SCHEMA_ID", "'long'"),
          nullable("_MIN_BUCKET", "'int'"),
          nullable("_MAX_BUCKET", "'int'"),
          nullable("_MIN_LEVEL", "'int'"),
          nullable("_MAX_LEVEL", "'int'"),
          nullable("_MIN_ROW_ID", "'long'"),
          nullable("_MAX_ROW_ID", "'long'"));

  private static final String FILE =
      String.join(
              ",",
              record("record__FILE", "") + field("_FILE_NAME", "'string'"),
              field("_FILE_SIZE", "'long'"),
              field("_ROW_COUNT", "'long'"),
              field("_MIN_KEY", "'bytes'"),
              field("_MAX_KEY", "'bytes'"),
              field("_KEY_STATS", String.format(STATS, "record__FILE__KEY_STATS")),
              field("_VALUE_STATS", String.format(STATS, "record__FILE__VALUE_STATS")),
              field("_MIN_SEQUENCE_NUMBER", "'long'"),
              field("_MAX_SEQUENCE_NUMBER", "'long'"),
              field("_SCHEMA_ID", "'long'"),
              field("_LEVEL", "'int'"),
              field("_EXTRA_FILES", "{'type':'array','items':'string'}"),
              nullable("_CREATION_TIME", "{'type':'long','logicalType':'timestamp-millis'}"),
              nullable("_DELETE_ROW_COUNT", "'long'"),
              nullable("_EMBEDDED_FILE_INDEX", "'bytes'"),
              nullable("_FILE_SOURCE", "'int'"),
              nullable("_VALUE_STATS_COLS", "{'type':'array','items':'string'}"),
              nullable("_EXTERNAL_PATH", "'string'"),
              nullable("_FIRST_ROW_ID", "'long'"),
              nullable("_WRITE_COLS", "{'type':'array','items':'string'}"))
          + "]}";

  static final Schema MANIFEST =
      parse(
          record("record", "'namespace':'org.apache.paimon.avro.generated',"),
          field("_VERSION", "'int'"),
          field("_KIND", "'int'"),
          field("_PARTITION", "'bytes'"),
          field("_BUCKET", "'int'"),
          field("_TOTAL_BUCKETS", "'int'"),
          field("_FILE", FILE));

  private AvroSchemas() {}

  private static String record(String name, String namespace) {
    return "{'type':'record','name':'" + name + "'," + namespace + "'fields':[";
  }

  private static String field(String name, String type) {
    return "{'name':'" + name + "','type':" + type + "}";
  }

  private static String nullable(String name, String type) {
    return "{'name':'" + name + "','type':['null'," + type + "],'default':null}";
  }

  private static Schema parse(String head, String... fields) {
    String json = head + String.join(",", fields) + "]}";
    return new Schema.Parser().parse(json.replace('\'', '"'));
  }
}
