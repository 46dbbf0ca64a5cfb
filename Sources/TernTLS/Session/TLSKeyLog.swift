// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Dispatch
import Synchronization

/// Writes the secrets of connections in the format of NSS's `SSLKEYLOGFILE`, for tools such as Wireshark that decrypt
/// them. A reader of the log can decrypt everything, so logging is for debugging alone and must be requested explicitly;
/// the environment variable is read by the command `tern`, and never by the library.
///
/// Two logs are equal only if they are the same object.
public final class TLSKeyLog: Sendable {
    private let write: @Sendable (String) -> Void
    private let queue: DispatchQueue
    private let waiting = Atomic(0)

    /// The maximum number of lines that wait to be written. A log that is slower than its connections loses the rest.
    static let maximumWaiting = 4096

    /// The queue of all files. Nothing waits for the lines of the last handshake but the end of the process, which does,
    /// up to a second: writes to a file do not block.
    private static let files: DispatchQueue = {
        let queue = DispatchQueue(label: "tern-key-log-files")
        tern_at_exit {
            let written = DispatchSemaphore(value: 0)
            TLSKeyLog.files.async { written.signal() }
            _ = written.wait(timeout: .now() + 1)
        }
        return queue
    }()

    /// Calls `write` with each line, without its line feed, one after the other on a queue of its own, never on a
    /// connection's thread.
    public convenience init(_ write: @escaping @Sendable (String) -> Void) {
        self.init(on: DispatchQueue(label: "tern-key-log"), write)
    }

    private init(on queue: DispatchQueue, _ write: @escaping @Sendable (String) -> Void) {
        (self.queue, self.write) = (queue, write)
    }

    /// Appends to the file at `path`, line by line, in order, on one queue for all files. If the file does not exist, it
    /// is created with permissions for its owner only. Lines that cannot be written, or would block, are lost: a log must
    /// not break a connection. A process that ends by `exit` or by the end of `main` writes the lines that wait first.
    public convenience init(path: String) {
        self.init(on: Self.files) { line in
            let line = Array((line + "\n").utf8)
            // One write of a whole line to a file opened for appending: lines of several processes do not mix.
            unsafe tern_append_to_private_file(path, line, line.count)
        }
    }

    /// Returns when all earlier lines are written or lost.
    func written() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func record(_ line: String) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            waiting.subtract(1, ordering: .relaxed)
            return
        }
        queue.async {
            self.write(line)
            self.waiting.subtract(1, ordering: .relaxed)
        }
    }
}

extension TLSKeyLog: Hashable {
    public static func == (left: TLSKeyLog, right: TLSKeyLog) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
