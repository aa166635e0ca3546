/** Messages that nobody looks into. */
@NullMarked
package io.sluice.replicator.messages.raw;

import org.jspecify.annotations.NullMarked;
