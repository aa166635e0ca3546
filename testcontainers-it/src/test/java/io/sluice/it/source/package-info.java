/** The binlog source against real servers, with a recording fake in the pipeline's place. */
@org.jspecify.annotations.NullMarked
package io.sluice.it.source;
