/**
 * A HOCON file to immutable, checked settings. {@link io.sluice.config.ConfigLoader} reports every
 * problem of a file at once; what it returns needs no further check. Imports no other package of
 * Sluice.
 */
@NullMarked
package io.sluice.config;

import org.jspecify.annotations.NullMarked;
