// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer cannot look into the standard library's Mutex, which is built without it, and reports every value
// that one protects as a race. A build with `-sanitize=thread -D THREAD_SANITIZER` locks with what it does understand.
#if THREAD_SANITIZER

    import Glibc

    /// A value behind a lock; stands in for `Synchronization.Mutex` where ThreadSanitizer watches.
    public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        private let storage: Storage

        /// A lock, free, around `value`.
        public init(_ value: consuming sending Value) { storage = Storage(value) }

        /// Runs `body` with the value, alone.
        public func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            unsafe pthread_mutex_lock(storage.mutex)
            defer { unsafe pthread_mutex_unlock(storage.mutex) }
            return try body(&storage.value)
        }

        /// The value is touched under the mutex only.
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

    /// A value behind a lock: `Synchronization.Mutex`, in a shape that a sanitizer build can replace.
    ///
    /// Locks are short: never nested, never held across a callback.
    public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<Value>

        /// A lock, free, around `value`.
        @inlinable public init(_ value: consuming sending Value) { mutex = Mutex(value) }

        /// Runs `body` with the value, alone.
        @inlinable public func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            try mutex.withLock(body)
        }
    }

#endif
