// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer cannot instrument the standard library's Mutex, which is built without it, and reports every value
// that one protects as a race. A build with `-sanitize=thread -D THREAD_SANITIZER` uses a lock that it supports.
#if THREAD_SANITIZER

    import TernLibC

    /// A value behind a lock; replaces `Synchronization.Mutex` under ThreadSanitizer.
    public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        private let storage: Storage

        /// Creates an unlocked lock with `value`.
        public init(_ value: consuming sending Value) { storage = Storage(value) }

        /// Runs `body` with the value, exclusively.
        public func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            unsafe pthread_mutex_lock(storage.mutex)
            defer { unsafe pthread_mutex_unlock(storage.mutex) }
            return try body(&storage.value)
        }

        /// The same if the lock is free at once; nil otherwise.
        public func withLockIfAvailable<Result, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result? {
            guard unsafe pthread_mutex_trylock(storage.mutex) == 0 else { return nil }
            defer { unsafe pthread_mutex_unlock(storage.mutex) }
            return try body(&storage.value)
        }

        /// The value is accessed only under the mutex.
        @safe
        private final class Storage: @unchecked Sendable {
            let mutex: UnsafeMutablePointer<pthread_mutex_t>
            var value: Value

            init(_ value: consuming Value) {
                self.value = value
                unsafe mutex = .allocate(capacity: 1)
                unsafe pthread_mutex_init(mutex, nil)
            }

            deinit {
                unsafe pthread_mutex_destroy(mutex)
                unsafe mutex.deallocate()
            }
        }
    }

#else

    public import Synchronization

    /// A value behind a lock: `Synchronization.Mutex`, in a form that a sanitizer build can replace.
    ///
    /// Locks are held briefly: never nested, never held during a callback.
    public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<Value>

        /// Creates an unlocked lock with `value`.
        @inlinable public init(_ value: consuming sending Value) { mutex = Mutex(value) }

        /// Runs `body` with the value, exclusively.
        @inlinable public func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            try mutex.withLock(body)
        }

        /// The same if the lock is free at once; nil otherwise.
        @inlinable public func withLockIfAvailable<Result, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result? {
            try mutex.withLockIfAvailable(body)
        }
    }

#endif
