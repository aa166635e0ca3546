package io.sluice.replicator.demo.servers;

/** A user of a throwaway server and its password, which may be empty. */
public record Account(String user, String password) {}
