/**
 * What a {@code schema-N} file declares: types, columns, keys, options. Immutable values.
 *
 * <p>May import {@code error} alone.
 */
@NullMarked
package io.sluice.lsm.schema;

import org.jspecify.annotations.NullMarked;
