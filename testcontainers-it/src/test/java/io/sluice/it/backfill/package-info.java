/** The backfill against real servers, with a pipeline that only remembers. */
@NullMarked
package io.sluice.it.backfill;

import org.jspecify.annotations.NullMarked;
