package io.sluice.sinks.shard;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages to one worker, in order. {@link #push} never waits, so that it may be called under the
 * router's lock; producers call {@link #awaitRoom} without that lock before or after, which bounds
 * the bytes to the maximum plus one batch a producer. Thread safe.
 */
final class ShardQueue {

  private final long bytesMax;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition notEmpty = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final ArrayDeque<ShardMessage> messages = new ArrayDeque<>();
  private volatile long bytes;
  private boolean closed;

  ShardQueue(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  void push(ShardMessage message) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      messages.addLast(message);
      bytes = bytes + message.bytes();
      notEmpty.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Ahead of all others: for what does not touch their order. */
  void pushFirst(ShardMessage message) {
    lock.lock();
    try {
      if (!closed) {
        messages.addFirst(message);
        bytes = bytes + message.bytes();
        notEmpty.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean full() {
    return bytes >= bytesMax;
  }

  /** Waits until there is room; at once after {@link #close}. */
  void awaitRoom() throws InterruptedException {
    if (!full()) {
      return;
    }
    lock.lockInterruptibly();
    try {
      while (!closed && full()) {
        room.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The next message; null once closed. Its bytes count until {@link #release}. */
  @Nullable ShardMessage take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (messages.isEmpty() && !closed) {
        notEmpty.await();
      }
      return closed ? null : messages.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  /** A message is worked off. */
  void release(ShardMessage message) {
    if (message.bytes() == 0) {
      return;
    }
    lock.lock();
    try {
      bytes = bytes - message.bytes();
      if (bytes < bytesMax) {
        room.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Drops everything and wakes everybody. */
  void close() {
    lock.lock();
    try {
      closed = true;
      messages.clear();
      bytes = 0;
      notEmpty.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
