/**
 * Which files a table has: manifests and manifest lists, Avro files of records (format description
 * section 4).
 *
 * <p>May import {@code error}, {@code schema}, {@code io}, {@code row}, {@code binary}, {@code
 * datafile}.
 */
@NullMarked
package io.sluice.lsm.manifest;

import org.jspecify.annotations.NullMarked;
