/**
 * Schemas that messages name by an id: where the id stands in a message, and a client for the
 * registries that have them, those with Confluent's interface and Apicurio.
 *
 * <p>A registry that doesn't answer says nothing about a message: that is a {@link
 * io.sluice.replicator.messages.registry.RegistryUnavailableException}, never a bad message.
 */
@NullMarked
package io.sluice.replicator.messages.registry;

import org.jspecify.annotations.NullMarked;
