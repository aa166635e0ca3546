/**
 * Data files in ORC (format description section 7.2). The only package that knows ORC's, Hive's and
 * the ORC side of Hadoop's types; it opens no file by itself: all bytes go through {@code FileIO}.
 *
 * <p>May import what {@code datafile} may, and {@code datafile}.
 */
@NullMarked
package io.sluice.lsm.datafile.orc;

import org.jspecify.annotations.NullMarked;
