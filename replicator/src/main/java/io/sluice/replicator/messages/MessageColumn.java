package io.sluice.replicator.messages;

import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.schema.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A column as a message's own schema declares it.
 *
 * @param type lake type that holds every value of it, nullable
 * @param nullable whether the schema allows null
 * @param source the column of the database that the message comes from, where the schema tells it:
 *     then the lake's type is that of a direct copy
 */
public record MessageColumn(
    String name, DataType type, boolean nullable, @Nullable SourceColumn source) {}
