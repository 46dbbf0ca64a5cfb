// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Dispatch
import Synchronization

/// Writes the secrets of connections, for tools such as Wireshark that decipher them: the format of NSS's
/// `SSLKEYLOGFILE`. A reader of the log can read everything, so nothing is logged unless asked for; the environment
/// variable is not looked at.
///
/// Two logs are equal only if they are one object.
public final class TLSKeyLog: Sendable {
    private let write: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "tern-key-log")
    private let waiting = Atomic(0)

    /// Lines that may wait to be written. A log that is slower than its connections loses the rest.
    static let maximumWaiting = 4096

    /// Calls `write` with each line, without its line feed, one after the other and on a queue of its own, never within
    /// the work of a connection.
    public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Appends to the file at `path`, which is made for its owner alone if it does not exist; line by line, in order,
    /// and on a queue of its own as well. What cannot be written is lost: a log must not break a connection. So is what
    /// would have to wait, such as for the reader of a pipe.
    public convenience init(path: String) {
        self.init { line in
            let line = Array((line + "\n").utf8)
            // One write of a whole line to a file opened for appending: lines of several processes do not mix.
            unsafe tern_append_to_private_file(path, line, line.count)
        }
    }

    /// Returns when what has been recorded before is written or lost.
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
