/** The formats of messages by the names that a config gives them. */
@NullMarked
package io.sluice.replicator.messages.formats;

import org.jspecify.annotations.NullMarked;
