/** Each type's values through both ways, binlog and SELECT, of real servers. */
@NullMarked
package io.sluice.it.values;

import org.jspecify.annotations.NullMarked;
