/** Messages of separated values. */
@NullMarked
package io.sluice.replicator.messages.csv;

import org.jspecify.annotations.NullMarked;
