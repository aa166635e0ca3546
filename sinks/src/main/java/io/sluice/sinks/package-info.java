/**
 * The pipeline core: a source hands changes to {@link io.sluice.sinks.ChangeInput}, a backfill its
 * chunks to {@link io.sluice.sinks.BackfillInput}; what comes out are epochs, committed to all
 * tables of the pipeline at one source position. Knows no source, no config file, no static state:
 * it may run many times in one JVM.
 */
@NullMarked
package io.sluice.sinks;

import org.jspecify.annotations.NullMarked;
