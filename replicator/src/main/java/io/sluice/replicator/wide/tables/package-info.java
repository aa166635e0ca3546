/**
 * Wide tables whose parts are a database's tables: which table fills what ({@code TableParts}),
 * what their definitions make of the wide table's ({@code PartDefinitions}), and the copy of rows
 * that were there before ({@code TablePart}). How a row of the stream becomes one of the wide table
 * is the stream's own ({@code sources.debezium}).
 */
@NullMarked
package io.sluice.replicator.wide.tables;

import org.jspecify.annotations.NullMarked;
