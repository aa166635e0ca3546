/**
 * From the changes that messages tell to rows of lake tables: where each column takes its value
 * from, exact conversions, and what columns a table must have for them.
 */
@NullMarked
package io.sluice.replicator.messages.rows;

import org.jspecify.annotations.NullMarked;
