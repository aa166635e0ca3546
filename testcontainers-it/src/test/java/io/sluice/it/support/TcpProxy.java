package io.sluice.it.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network that can fail, on a free port before a MySQL or MariaDB server: it can cut connections,
 * at once or at an exact byte of the binlog stream, and fall silent with all connections open.
 * Tells the connections that follow the binlog from others by the command that asks for it;
 * connections must not be encrypted. Thread safe.
 */
public final class TcpProxy implements AutoCloseable {
  private static final int BINLOG_DUMP = 0x12;
  private static final int BINLOG_DUMP_GTID = 0x1e;
  private static final int CONNECT_MILLIS = 10_000;

  private final ServerSocket listener;
  private final InetSocketAddress server;
  private final Set<Link> links = new HashSet<>();
  private final AtomicInteger cuts = new AtomicInteger();
  private boolean silent;
  private boolean closed;
  private long cutBinlogAfter = Long.MAX_VALUE;
  private long holdBinlogAfter = Long.MAX_VALUE;
  private boolean holds;
  private byte[] cutBinlogAt = {};

  private TcpProxy(String host, int port) throws IOException {
    server = new InetSocketAddress(host, port);
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept, "proxy-accept");
  }

  /** Stands before this server from now on. */
  public static TcpProxy before(String host, int port) {
    try {
      return new TcpProxy(host, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String host() {
    return listener.getInetAddress().getHostAddress();
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Connections cut so far by {@link #cutBinlogAfter} and {@link #cutBinlogAt}. */
  public int cuts() {
    return cuts.get();
  }

  /** Closes all connections that there are now. */
  public void cut() {
    Set<Link> open;
    synchronized (this) {
      open = new HashSet<>(links);
    }
    open.forEach(Link::close);
  }

  /** The next connection that follows the binlog is cut when it has brought so many bytes; once. */
  public synchronized void cutBinlogAfter(long bytes) {
    cutBinlogAfter = bytes;
  }

  /**
   * The connection that follows the binlog is cut where these bytes come in it, the last of them
   * not handed on; once.
   */
  public synchronized void cutBinlogAt(byte[] marker) {
    cutBinlogAt = marker.clone();
  }

  /**
   * The next connection that follows the binlog brings so many bytes and then nothing more, until
   * it is closed; once.
   */
  public synchronized void holdBinlogAfter(long bytes) {
    holdBinlogAfter = bytes;
    holds = false;
    links.forEach(link -> link.brought = 0);
  }

  /** Whether the connection of {@link #holdBinlogAfter} has brought its bytes. */
  public synchronized boolean holds() {
    return holds;
  }

  /** Nothing is handed on any more, either way; connections stay open, new ones are taken. */
  public synchronized void fallSilent() {
    silent = true;
  }

  /** What was held up goes on, as far as both ends are still there. */
  public synchronized void speakAgain() {
    silent = false;
    notifyAll();
  }

  private synchronized void awaitSpeech() throws IOException {
    while (silent && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listener.accept();
        start(() -> open(client), "proxy-open");
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  private void open(Socket client) {
    try {
      awaitSpeech();
      Socket upstream = new Socket();
      try {
        upstream.connect(server, CONNECT_MILLIS);
      } catch (IOException e) {
        upstream.close();
        throw e;
      }
      Link link = new Link(client, upstream);
      synchronized (this) {
        links.add(link);
      }
      start(link::toServer, "proxy-to-server");
      start(link::toClient, "proxy-to-client");
    } catch (IOException e) {
      closeQuietly(client);
    }
  }

  private static void start(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone, which is all that is wanted.
    }
  }

  private final class Link {
    private final Socket client;
    private final Socket upstream;
    private volatile boolean binlog;
    private boolean held;
    private long brought;
    private int matched;

    Link(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void toServer() {
      byte[] buffer = new byte[64 << 10];
      try (InputStream in = client.getInputStream();
          OutputStream out = upstream.getOutputStream()) {
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          awaitSpeech();
          // A command is one packet: three bytes of length, number 0, the command.
          if (n > 4
              && buffer[3] == 0
              && (buffer[4] == BINLOG_DUMP || buffer[4] == BINLOG_DUMP_GTID)) {
            binlog = true;
          }
          out.write(buffer, 0, n);
        }
      } catch (IOException e) {
        // Either end is gone.
      } finally {
        close();
      }
    }

    void toClient() {
      byte[] buffer = new byte[64 << 10];
      try (InputStream in = upstream.getInputStream();
          OutputStream out = client.getOutputStream()) {
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          awaitSpeech();
          int passed = binlog ? allowed(buffer, n) : n;
          out.write(buffer, 0, passed);
          if (passed < n) {
            if (held) {
              awaitClosed();
            }
            cuts.incrementAndGet();
            return;
          }
        }
      } catch (IOException e) {
        // Either end is gone.
      } finally {
        close();
      }
    }

    /** How many of these bytes may pass before the connection is cut; all: it is not. */
    private int allowed(byte[] buffer, int n) {
      synchronized (TcpProxy.this) {
        for (int i = 0; i < n; i++) {
          if (brought++ >= cutBinlogAfter) {
            cutBinlogAfter = Long.MAX_VALUE;
            return i;
          }
          if (brought > holdBinlogAfter) {
            holdBinlogAfter = Long.MAX_VALUE;
            holds = true;
            held = true;
            return i;
          }
          if (cutBinlogAt.length > 0) {
            // The marker has no byte twice in its beginning, so it begins anew at most here.
            matched =
                buffer[i] == cutBinlogAt[matched]
                    ? matched + 1
                    : buffer[i] == cutBinlogAt[0] ? 1 : 0;
            if (matched == cutBinlogAt.length) {
              cutBinlogAt = new byte[0];
              return i;
            }
          }
        }
        return n;
      }
    }

    private void awaitClosed() throws IOException {
      synchronized (TcpProxy.this) {
        while (links.contains(this)) {
          try {
            TcpProxy.this.wait();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        }
      }
    }

    void close() {
      closeQuietly(client);
      closeQuietly(upstream);
      synchronized (TcpProxy.this) {
        links.remove(this);
        TcpProxy.this.notifyAll();
      }
    }
  }

  @Override
  public void close() {
    closeQuietly(listener);
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    cut();
  }

  private static void closeQuietly(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
