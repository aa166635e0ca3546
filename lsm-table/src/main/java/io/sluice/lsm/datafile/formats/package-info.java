/**
 * Chooses among the formats of data files.
 *
 * <p>May import what {@code datafile} may, and all of {@code datafile}.
 */
@NullMarked
package io.sluice.lsm.datafile.formats;

import org.jspecify.annotations.NullMarked;
