// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The heads of all responses to one request: redirects, informational ones, the final one. A chain of redirects may
/// have no end, so their number and size are unbounded: only a window of them stays in memory.
struct HeadLog {
    /// The most that waits to be written, in bytes, before one more head.
    static let window = 256 * 1024

    /// Bytes of all heads of the last attempt so far.
    private(set) var size = 0
    /// What has not been taken yet.
    private(set) var waiting = Data()
    /// Whether the heads are written somewhere. If not, they are only counted.
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    /// Another attempt begins.
    mutating func countAnew() { size = 0 }

    /// Adds a head. Returns everything that waits when it exceeds the window, for the caller to write at once.
    ///
    /// - Parameter isShown: whether it is written, too.
    mutating func append(_ head: ResponseHead, isShown: Bool = true) -> Data? {
        append(Data(head.encoded), isShown: isShown)
    }

    /// The trailer section stands behind the head.
    mutating func append(trailers: Data) -> Data? { append(trailers, isShown: true) }

    private mutating func append(_ head: Data, isShown: Bool) -> Data? {
        size += head.count
        guard isKept, isShown else { return nil }
        waiting.append(head)
        return waiting.count > Self.window ? takeAll() : nil
    }

    /// Returns what waits, and forgets it.
    private mutating func takeAll() -> Data {
        defer { waiting = Data() }
        return waiting
    }
}
