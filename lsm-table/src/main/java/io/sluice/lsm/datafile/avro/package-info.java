/**
 * Data files in Avro (format description section 7.4). Schemas and containers are written by Avro's
 * library; values are encoded and decoded here, without objects where they are flat.
 *
 * <p>May import what {@code datafile} may, and {@code datafile}.
 */
@NullMarked
package io.sluice.lsm.datafile.avro;

import org.jspecify.annotations.NullMarked;
