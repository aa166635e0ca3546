package io.sluice.replicator.service;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The service manager's end of the notification socket. */
final class ManagerSocket implements AutoCloseable {

  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int EAGAIN = 11;
  private static final long LIMIT_NANOS = 30_000_000_000L;

  private interface Sockets extends Library {
    int socket(int domain, int type, int protocol) throws LastErrorException;

    int bind(int descriptor, byte[] address, int bytes) throws LastErrorException;

    NativeLong recv(int descriptor, byte[] into, NativeLong length, int flags)
        throws LastErrorException;

    int close(int descriptor) throws LastErrorException;
  }

  private final Sockets sockets = Native.load("c", Sockets.class);
  private final int descriptor = sockets.socket(AF_UNIX, SOCK_DGRAM, 0);
  private final List<String> all = new ArrayList<>();

  ManagerSocket(String name) {
    byte[] address = NotifySocket.addressOf(name);
    sockets.bind(descriptor, address, address.length);
  }

  /** Waits for a message like this; the ones before it are passed over. */
  String await(Predicate<String> wanted) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (System.nanoTime() < deadline) {
      String message = poll();
      if (message == null) {
        Thread.yield();
      } else if (wanted.test(message)) {
        return message;
      }
    }
    throw new AssertionError("No such message, but " + all);
  }

  /** The next message, null if there is none now. */
  String poll() {
    byte[] buffer = new byte[4096];
    try {
      int length =
          sockets.recv(descriptor, buffer, new NativeLong(buffer.length), MSG_DONTWAIT).intValue();
      String message = new String(buffer, 0, length, StandardCharsets.UTF_8);
      all.add(message);
      return message;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == EAGAIN) {
        return null;
      }
      throw e;
    }
  }

  List<String> all() {
    return all;
  }

  @Override
  public void close() {
    sockets.close(descriptor);
  }
}
