/**
 * Data files in Parquet (format description section 7.3). The only package that knows Parquet's
 * types; it opens no file by itself: all bytes go through {@code FileIO}.
 *
 * <p>May import what {@code datafile} may, {@code datafile} and {@code datafile.column}.
 */
@NullMarked
package io.sluice.lsm.datafile.parquet;

import org.jspecify.annotations.NullMarked;
