/** The daemon inside the test's own JVM. */
@org.jspecify.annotations.NullMarked
package io.sluice.it.daemon;
