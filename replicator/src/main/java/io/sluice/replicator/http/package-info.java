/**
 * Status page, metrics and health over HTTP; loopback by default, no password, nothing to change.
 * May import {@code metrics}, {@code config} and {@code sinks}.
 */
@NullMarked
package io.sluice.replicator.http;

import org.jspecify.annotations.NullMarked;
