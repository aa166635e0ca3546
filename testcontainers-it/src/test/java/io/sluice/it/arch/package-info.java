/** What may know what: the arrows of docs/architecture.md, kept by tests. */
package io.sluice.it.arch;
