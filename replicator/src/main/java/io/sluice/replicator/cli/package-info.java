/**
 * The commands. {@link io.sluice.replicator.cli.Sluice} is the process's main class: the only place
 * that reads the clock, the environment and randomness, and that ends the process. Nobody imports
 * this package.
 */
@NullMarked
package io.sluice.replicator.cli;

import org.jspecify.annotations.NullMarked;
