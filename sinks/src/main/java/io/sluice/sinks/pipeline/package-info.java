/**
 * The running pipeline: recovery, routing under one lock, the schema gate, cuts. Uses the shard
 * workers and the epoch committer; nobody in this module imports it.
 */
@NullMarked
package io.sluice.sinks.pipeline;

import org.jspecify.annotations.NullMarked;
