package io.sluice.bench.flink;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Debezium's JSON of a topic into a Paimon table by Flink SQL, in a mini cluster in this process: two
 * slots, a checkpoint every 500 ms, all else by default. Arguments: bootstrap servers, topic,
 * warehouse. Runs until it is ended.
 */
public final class FlinkToPaimon {

  private static final String COLUMNS =
      "id BIGINT, customer INT, status STRING, amount INT, version BIGINT, changed BIGINT,"
          + " note STRING";

  private FlinkToPaimon() {}

  public static void main(String[] args) throws Exception {
    Configuration settings = new Configuration();
    settings.setString("taskmanager.memory.managed.size", "64m");
    settings.setString("taskmanager.memory.network.min", "32m");
    settings.setString("taskmanager.memory.network.max", "32m");
    settings.setString("rest.bind-port", "0");
    settings.setString("restart-strategy.type", "none");
    // Paimon's sink asks for it.
    settings.setString("table.exec.sink.upsert-materialize", "NONE");
    StreamExecutionEnvironment cluster =
        StreamExecutionEnvironment.createLocalEnvironment(2, settings);
    cluster.enableCheckpointing(500);
    StreamTableEnvironment sql = StreamTableEnvironment.create(cluster);
    sql.executeSql(
        "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '" + args[2] + "')");
    sql.executeSql("CREATE DATABASE IF NOT EXISTS lake.shop");
    sql.executeSql(
        "CREATE TABLE lake.shop.orders ("
            + COLUMNS
            + ", PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '2', 'file.format' = 'orc')");
    sql.executeSql(
        "CREATE TEMPORARY TABLE source ("
            + COLUMNS
            + ") WITH ('connector' = 'kafka', 'topic' = '"
            + args[1]
            + "', 'properties.bootstrap.servers' = '"
            + args[0]
            + "', 'scan.startup.mode' = 'earliest-offset', 'format' = 'debezium-json')");
    sql.executeSql("INSERT INTO lake.shop.orders SELECT * FROM source").await();
  }
}
