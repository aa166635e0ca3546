/** Messages of Maxwell's daemon. */
@NullMarked
package io.sluice.replicator.messages.maxwell;

import org.jspecify.annotations.NullMarked;
