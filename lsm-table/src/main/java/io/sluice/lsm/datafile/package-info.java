/**
 * One sorted data file: its description ({@link io.sluice.lsm.datafile.DataFileMeta}), its columns,
 * its writers and readers. A {@link io.sluice.lsm.datafile.FileFormat} begins a {@link
 * io.sluice.lsm.datafile.NewFile} and opens a {@link io.sluice.lsm.datafile.StoredFile}. ORC types
 * stay in {@code datafile.orc}. Files may be decoded ahead on {@link
 * io.sluice.lsm.datafile.DecodingThreads}.
 *
 * <p>May import {@code error}, {@code schema}, {@code io}, {@code row}, {@code binary}.
 */
@NullMarked
package io.sluice.lsm.datafile;

import org.jspecify.annotations.NullMarked;
