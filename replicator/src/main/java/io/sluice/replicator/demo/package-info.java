/**
 * The quick start, {@code sluice demo}: a throwaway database with a small shop and a live workload,
 * replicated by the real daemon into a folder, watched and compared. May import the daemon and
 * {@code demo.servers}; nobody but the command line imports it.
 */
@NullMarked
package io.sluice.replicator.demo;

import org.jspecify.annotations.NullMarked;
