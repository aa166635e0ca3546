/**
 * Batches of rows column by column, whatever format they come from: {@link
 * io.sluice.lsm.datafile.column.Column} and {@link io.sluice.lsm.datafile.column.BatchRow}, and the
 * casts of columns that an older schema wrote. {@link io.sluice.lsm.datafile.column.Batches} come
 * from a decoder as they are asked for, or ahead ({@link io.sluice.lsm.datafile.column.ReadAhead}).
 *
 * <p>May import what {@code datafile} may, and {@code datafile}.
 */
@NullMarked
package io.sluice.lsm.datafile.column;

import org.jspecify.annotations.NullMarked;
