/**
 * Status page, metrics and health over HTTP; loopback by default, no password, nothing to change.
 * May import {@code metrics} and {@code config}.
 */
@NullMarked
package io.sluice.replicator.http;

import org.jspecify.annotations.NullMarked;
