package io.sluice.replicator.service;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service manager's datagram socket. Java 17 has no datagram sockets of the family AF_UNIX,
 * hence the C library's. Thread safe.
 */
final class NotifySocket implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NotifySocket.class);

  static final String VARIABLE = "NOTIFY_SOCKET";

  // Linux, the same on all its architectures that Java runs on but MIPS and SPARC.
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int PATH_BYTES_MAX = 107;

  /** Of the C library. */
  interface Sockets extends Library {
    int socket(int domain, int type, int protocol) throws LastErrorException;

    NativeLong sendto(
        int descriptor, byte[] message, NativeLong length, int flags, byte[] address, int bytes)
        throws LastErrorException;

    int close(int descriptor) throws LastErrorException;
  }

  private final Sockets sockets;
  private final byte[] address;
  private final int descriptor;

  private NotifySocket(Sockets sockets, byte[] address) {
    this.sockets = sockets;
    this.address = address;
    this.descriptor = sockets.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  }

  /** The one that the environment names; empty if there is none or if it can't be used. */
  static Optional<NotifySocket> open(Map<String, String> environment) {
    String name = environment.get(VARIABLE);
    if (name == null || name.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new NotifySocket(Native.load("c", Sockets.class), addressOf(name)));
    } catch (LastErrorException | LinkageError | IllegalArgumentException e) {
      LOG.error(
          "The service manager can't be told anything, and will take the service for not started:"
              + " its socket {} can't be used ({}). Is the folder for temporary files mounted"
              + " noexec? Then set -Djna.tmpdir to another in SLUICE_JAVA_OPTS.",
          name,
          e.toString());
      return Optional.empty();
    }
  }

  /** A sockaddr_un; a name that begins with @ is in the abstract namespace. */
  static byte[] addressOf(String name) {
    byte[] path = name.getBytes(StandardCharsets.UTF_8);
    boolean isAbstract = name.startsWith("@");
    if (!isAbstract && !name.startsWith("/") || path.length > PATH_BYTES_MAX) {
      throw new IllegalArgumentException("no name of a local socket");
    }
    ByteBuffer bytes =
        ByteBuffer.allocate(2 + path.length + (isAbstract ? 0 : 1)).order(ByteOrder.nativeOrder());
    bytes.putShort((short) AF_UNIX).put(path);
    if (isAbstract) {
      bytes.put(2, (byte) 0);
    }
    return bytes.array();
  }

  /** One message of one or more lines. Never waits: a full socket is a failure. */
  void send(String lines) throws IOException {
    byte[] message = lines.getBytes(StandardCharsets.UTF_8);
    try {
      sockets.sendto(
          descriptor,
          message,
          new NativeLong(message.length),
          MSG_NOSIGNAL | MSG_DONTWAIT,
          address,
          address.length);
    } catch (LastErrorException e) {
      throw new IOException("The service manager's socket doesn't take a message", e);
    }
  }

  @Override
  public void close() {
    try {
      sockets.close(descriptor);
    } catch (LastErrorException e) {
      LOG.debug("The service manager's socket was not closed", e);
    }
  }
}
