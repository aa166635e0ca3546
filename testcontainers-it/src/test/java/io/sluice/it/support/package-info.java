/**
 * What the end-to-end tests share: servers, the daemon as a process, a workload, and source and
 * lake compared row by row.
 */
package io.sluice.it.support;
