/** Messages of Oracle GoldenGate in its operation-modelled JSON. */
@NullMarked
package io.sluice.replicator.messages.ogg;

import org.jspecify.annotations.NullMarked;
