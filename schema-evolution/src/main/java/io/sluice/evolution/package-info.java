/**
 * Source schemas and DDL to table schemas: type mapping, differences, which changes are safe. Pure
 * functions over immutable values; knows lsm-table only by its {@code schema} package.
 */
@NullMarked
package io.sluice.evolution;

import org.jspecify.annotations.NullMarked;
