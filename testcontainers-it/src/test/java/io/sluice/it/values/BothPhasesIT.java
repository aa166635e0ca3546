package io.sluice.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.ConnectionConfig;
import io.sluice.config.TlsMode;
import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TypeMapping;
import io.sluice.it.support.TestServers;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.ValueEncoder;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A value read by the backfill and the same value from the stream are the same bytes. */
class BothPhasesIT {

  private static final SourceTableId TABLE = new SourceTableId("sameval", "vals");

  private final TimeZone zone = TimeZone.getDefault();

  /** No value may depend on the JVM's zone. */
  @BeforeEach
  void moveToNewYork() {
    TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
  }

  @AfterEach
  void moveBack() {
    TimeZone.setDefault(zone);
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void bothWaysGiveTheSameBytes(ServerKind kind) throws Exception {
    List<ValueCase> cases = ValueCases.of(kind);
    MySqlFlavor flavor = kind == ServerKind.MYSQL ? MySqlFlavor.MYSQL : MySqlFlavor.MARIADB;
    AtomicInteger zeroDates = new AtomicInteger();
    ValueEncoders compiler =
        new ValueEncoders(flavor, ZeroDates.NULL, (table, column) -> zeroDates.incrementAndGet());
    try (ThrowawayServer server = TestServers.start(kind, "--default-time-zone=-05:00")) {
      createTable(server, cases);
      int rows;
      List<Struct> stream;
      try (BinlogRows binlog = new BinlogRows(server, "sameval")) {
        binlog.awaitStreaming(server, "sameval.warm");
        rows = insert(server, cases);
        stream = binlog.await(rows);
      }
      JdbcSource source =
          new JdbcSource(
              flavor,
              new ConnectionConfig(
                  server.host(),
                  server.port(),
                  "root",
                  Optional.empty(),
                  Duration.ofSeconds(10),
                  Duration.ofMinutes(2),
                  TlsMode.DISABLED,
                  Map.of()));
      List<String> faults = new ArrayList<>();
      try (Connection connection = source.connect()) {
        for (int i = 0; i < cases.size(); i++) {
          compare(cases.get(i), "c" + i, compiler, connection, stream, faults);
        }
      }
      assertThat(faults).isEmpty();
      assertThat(zeroDates.get()).isPositive();
    }
  }

  private static void createTable(ThrowawayServer server, List<ValueCase> cases) throws Exception {
    StringBuilder sql = new StringBuilder("CREATE TABLE sameval.vals (id INT PRIMARY KEY");
    for (int i = 0; i < cases.size(); i++) {
      sql.append(", c").append(i).append(' ').append(cases.get(i).ddl());
    }
    sql.append(") CHARACTER SET utf8mb4");
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      statement.execute("CREATE DATABASE sameval");
      statement.execute("SET sql_mode = 'NO_ENGINE_SUBSTITUTION'");
      statement.execute(sql.toString());
      statement.execute("CREATE TABLE sameval.warm (id INT PRIMARY KEY)");
    }
  }

  /** One row for each value of each case, and one of nulls. */
  private static int insert(ThrowawayServer server, List<ValueCase> cases) throws Exception {
    int id = 0;
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      statement.execute("SET NAMES utf8mb4");
      statement.execute("SET sql_mode = 'NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'");
      statement.execute("INSERT INTO sameval.vals (id) VALUES (0)");
      for (int i = 0; i < cases.size(); i++) {
        for (String value : cases.get(i).values().keySet()) {
          id++;
          try {
            statement.execute(
                "INSERT INTO sameval.vals (id, c" + i + ") VALUES (" + id + ", " + value + ")");
          } catch (java.sql.SQLException e) {
            throw new AssertionError(cases.get(i).ddl() + ": " + value, e);
          }
        }
      }
    }
    return id + 1;
  }

  private static void compare(
      ValueCase test,
      String name,
      ValueEncoders compiler,
      Connection connection,
      List<Struct> stream,
      List<String> faults)
      throws Exception {
    SourceColumn column = test.column(name);
    DataType type = ((MappedType.Lake) new TypeMapping(false).map(column)).type();
    ValueEncoder encoder = compiler.compile(TABLE, column, new DataField(0, name, type));
    String sql =
        "SELECT id, " + compiler.selectExpression(column) + " FROM sameval.vals ORDER BY id";
    BinaryRowWriter fromSelect = new BinaryRowWriter(1);
    BinaryRowWriter fromStream = new BinaryRowWriter(1);
    List<@Nullable String> expected = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      for (Struct struct : stream) {
        rows.next();
        int id = struct.getInt32("id");
        assertThat(rows.getInt(1)).isEqualTo(id);
        fromSelect.reset();
        fromStream.reset();
        String what = test.ddl() + " row " + id;
        try {
          encoder.encode(rows, 2, fromSelect, 0);
        } catch (RuntimeException | java.sql.SQLException e) {
          faults.add(what + ": SELECT: " + e);
          continue;
        }
        try {
          encoder.encode(struct.getWithoutDefault(name), fromStream, 0);
        } catch (RuntimeException e) {
          faults.add(what + ": stream: " + e);
          continue;
        }
        BinaryRow select = fromSelect.finish(RowKind.INSERT);
        BinaryRow log = fromStream.finish(RowKind.INSERT);
        if (!select.equals(log)) {
          faults.add(what + ": SELECT " + text(select, type) + ", stream " + text(log, type));
        }
        expected.add(text(select, type));
      }
    }
    List<@Nullable String> wanted = test.wanted();
    List<@Nullable String> got = new ArrayList<>();
    int first = test.firstRow();
    for (int i = 0; i < wanted.size() && first + i < expected.size(); i++) {
      got.add(wanted.get(i) == null ? null : expected.get(first + i));
    }
    if (!wanted.equals(got)) {
      faults.add(test.ddl() + ": wanted " + wanted + ", got " + got);
    }
  }

  private static @Nullable String text(BinaryRow row, DataType type) {
    if (row.isNullAt(0)) {
      return "NULL";
    }
    TypeRoot root = type.root();
    return switch (root) {
      case BOOLEAN -> Boolean.toString(row.getBoolean(0));
      case TINYINT -> Byte.toString(row.getByte(0));
      case SMALLINT -> Short.toString(row.getShort(0));
      case INT -> Integer.toString(row.getInt(0));
      case BIGINT -> Long.toString(row.getLong(0));
      case FLOAT -> Float.toString(row.getFloat(0));
      case DOUBLE -> Double.toString(row.getDouble(0));
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        BigDecimal value = row.getDecimal(0, decimal.precision(), decimal.scale());
        yield value.toPlainString();
      }
      case DATE -> LocalDate.ofEpochDay(row.getInt(0)).toString();
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        Instant instant =
            Instant.ofEpochMilli(row.getTimestampMillis(0, precision))
                .plusNanos(row.getNanoOfMilli(0, precision));
        yield root == TypeRoot.TIMESTAMP_LTZ
            ? instant.toString()
            : LocalDateTime.ofInstant(instant, ZoneOffset.UTC).toString();
      }
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getByteArray(0));
      default -> new String(row.getByteArray(0), StandardCharsets.UTF_8);
    };
  }
}
