/** What {@code check} finds at real servers. */
package io.sluice.it.check;
