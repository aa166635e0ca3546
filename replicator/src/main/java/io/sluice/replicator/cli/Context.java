package io.sluice.replicator.cli;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a command gets from the process it runs in.
 *
 * @param bytes the standard output, for what is no text; {@code out} is flushed before
 * @param env variables of the environment
 * @param freshIds texts that nobody else uses
 */
record Context(
    PrintWriter out,
    OutputStream bytes,
    PrintWriter err,
    Map<String, String> env,
    Clock clock,
    Supplier<String> freshIds) {}
