package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bucket = auto} goes by what the server says of a table's size, in check and in fact. */
class AutoBucketsIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir Path folder;

  @Test
  void picksBucketsByTheServersBytes() throws Exception {
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      long mib;
      try (Connection admin = server.connect("");
          Statement statement = admin.createStatement()) {
        statement.execute("CREATE DATABASE shop");
        for (String table : List.of("large", "parted")) {
          statement.execute(
              "CREATE TABLE shop." + table + " (id INT, day DATE, v BLOB, PRIMARY KEY (id, day))");
          statement.execute(
              "INSERT INTO shop."
                  + table
                  + " SELECT seq, '2026-01-01', REPEAT(MD5(seq), 32) FROM"
                  + " (WITH RECURSIVE s AS (SELECT 1 AS seq UNION ALL SELECT seq + 1 FROM s WHERE"
                  + " seq < 900) SELECT seq FROM s) numbers");
          // Doubled until it is several MiB.
          for (int i = 0; i < 4; i++) {
            statement.execute(
                "INSERT INTO shop."
                    + table
                    + " SELECT id + "
                    + (900 << i)
                    + ", day, v FROM shop."
                    + table);
          }
        }
        statement.execute("CREATE TABLE shop.empty (id INT PRIMARY KEY)");
        statement.execute("CREATE TABLE shop.said (id INT PRIMARY KEY)");
        statement.execute("ANALYZE TABLE shop.large, shop.parted PERSISTENT FOR ALL");
        mib = mib(statement);
      }
      assertThat(mib).as("the table's size in MiB").isBetween(8L, 60L);
      int buckets = (int) ((mib + 3) / 4);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "shop")
              .source(server)
              .include("shop.*")
              .set("tables.defaults.bucket-size = 2 MiB")
              .set(
                  "tables.rules = [{ match = shop.said, bucket = 3 },"
                      + " { match = shop.parted, partition-by = [day] }]");
      try (DaemonProcess check =
          DaemonProcess.start(
              folder, List.of(), List.of("check", "-c", pipeline.writeConfig().toString()))) {
        assertThat(check.awaitExit()).as(check.log()).isZero();
        assertThat(check.log())
            .contains(buckets + " buckets (auto: about " + mib + " MiB in the source), primary")
            .contains(
                "shop.parted -> shop.parted, about ", "1 bucket (auto: one in each partition)")
            .contains("shop.said -> shop.said, about 0 rows, 3 buckets, primary");
      }
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(
            daemon, server, pipeline, LIMIT, "shop", "large", "parted", "said", "empty");
        assertThat(daemon.log())
            .contains(
                "Table shop.large goes to the new table shop.large of "
                    + buckets
                    + " buckets (auto: about "
                    + mib
                    + " MiB in the source)");
      }
      assertThat(bucketOption(pipeline, "large")).isEqualTo(Integer.toString(buckets));
      assertThat(bucketOption(pipeline, "parted")).isEqualTo("1");
      assertThat(bucketOption(pipeline, "said")).isEqualTo("3");
      assertThat(bucketOption(pipeline, "empty")).isEqualTo("1");
    }
  }

  /** Rounded up, as it is shown. */
  private static long mib(Statement statement) throws Exception {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT CEILING(DATA_LENGTH / 1048576) FROM information_schema.TABLES"
                + " WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'large'")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static String bucketOption(PipelineFolder pipeline, String table) throws Exception {
    Path schema = pipeline.table("shop", table).resolve("schema/schema-0");
    return TableSchemaJson.read(Files.readAllBytes(schema), schema.toString())
        .options()
        .get("bucket");
  }
}
