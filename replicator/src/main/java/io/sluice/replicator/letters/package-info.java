/**
 * Dead letters that a pipeline has set aside, as they stand in the lake ({@link
 * io.sluice.replicator.letters.LetterBox}), and which of them somebody means ({@link
 * io.sluice.replicator.letters.LetterSelection}). Knows no source and no daemon.
 */
@NullMarked
package io.sluice.replicator.letters;

import org.jspecify.annotations.NullMarked;
