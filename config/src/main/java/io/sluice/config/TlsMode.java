package io.sluice.config;

/** Encryption of the connections to the source. */
public enum TlsMode {
  /** Disabled to a loopback address, else preferred. */
  AUTO,
  DISABLED,
  /** Encrypted if the server offers it. */
  PREFERRED,
  /** Encrypted, whoever the server is. */
  REQUIRED,
  /** Encrypted, and the server's certificate is signed by an authority that the JVM trusts. */
  VERIFY_CA,
  /** The same, and the certificate names the host. */
  VERIFY_IDENTITY
}
