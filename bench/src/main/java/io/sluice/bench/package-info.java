/** Benchmarks, each a main of its own. Ships nothing. */
@NullMarked
package io.sluice.bench;

import org.jspecify.annotations.NullMarked;
