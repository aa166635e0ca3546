package io.sluice.sinks;

import io.sluice.evolution.SourceTable;
import io.sluice.lsm.schema.TableSchema;

/**
 * A captured source table and the lake table that its rows go to, at one version of both schemas.
 * After a DDL there is a new one; rows of the older are still taken in the order they were handed
 * over, chunks of the older are refused.
 *
 * @param lakeTable {@code database.table} in the warehouse
 * @param lakeSchema the schema that rows must be written in: what a source compiles its converter
 *     for
 * @param generation grows with each DDL and TRUNCATE of this table
 */
public record RoutedTable(
    SourceTable source, String lakeTable, TableSchema lakeSchema, long generation) {}
