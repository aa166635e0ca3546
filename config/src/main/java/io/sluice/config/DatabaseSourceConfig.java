package io.sluice.config;

import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A MySQL or MariaDB server and what of it is captured.
 *
 * @param include patterns of captured tables, at least one
 * @param exclude patterns of tables that are left out although they are included
 * @param serverTimeZone of the source; no value depends on it (see {@code reference.conf})
 * @param serverId under which the pipeline joins the source's replication, 1 to 2^32-1; empty:
 *     derived from the pipeline's name
 * @param zeroDates what becomes of {@code 0000-00-00} and of dates with a zero part
 * @param debezium handed through untouched
 */
public record DatabaseSourceConfig(
    SourceType type,
    ConnectionConfig connection,
    List<TablePattern> include,
    List<TablePattern> exclude,
    ZoneId serverTimeZone,
    OptionalLong serverId,
    ZeroDatePolicy zeroDates,
    BackfillConfig backfill,
    Map<String, String> debezium)
    implements SourceConfig {

  public DatabaseSourceConfig {
    include = List.copyOf(include);
    exclude = List.copyOf(exclude);
    debezium = Map.copyOf(debezium);
  }

  /**
   * The server id to use: the configured one, else one between 1,000,000 and 1,001,000,000 that
   * depends on the pipeline's name alone.
   */
  public long serverId(String pipeline) {
    return serverId.orElseGet(
        () -> {
          long hash = 1_125_899_906_842_597L;
          for (int i = 0; i < pipeline.length(); i++) {
            hash = 31 * hash + pipeline.charAt(i);
          }
          return 1_000_000 + Math.floorMod(hash, 1_000_000_000L);
        });
  }
}
