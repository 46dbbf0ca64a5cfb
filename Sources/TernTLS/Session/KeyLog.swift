// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Dispatch

/// Where the secrets of connections are written, for tools such as Wireshark that are to decipher them: the format of
/// NSS's `SSLKEYLOGFILE`. Whoever reads them reads everything, so nothing is ever logged unasked; the environment
/// variable is not looked at.
///
/// Two logs are equal only if they are one object.
public final class KeyLog: Sendable {
    private let write: @Sendable (String) -> Void

    /// Calls `write` with each line, without its line feed, one after the other and on a queue of its own: whatever it does, it
    /// does not do it in the midst of a connection's work.
    public convenience init(_ write: @escaping @Sendable (String) -> Void) {
        let queue = DispatchQueue(label: "tern-key-log")
        self.init(writing: { line in queue.async { write(line) } })
    }

    private init(writing write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Appends to the file at `path`, which is made for its owner alone if it does not exist. What cannot be written is
    /// lost: a log must not break a connection.
    public convenience init(path: String) {
        self.init(writing: { line in
            let line = Array((line + "\n").utf8)
            // One write of a whole line to a file opened for appending: lines of several threads do not mix.
            unsafe tern_append_to_private_file(path, line, line.count)
        })
    }

    func record(_ line: String) { write(line) }
}

extension KeyLog: Hashable {
    public static func == (left: KeyLog, right: KeyLog) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
