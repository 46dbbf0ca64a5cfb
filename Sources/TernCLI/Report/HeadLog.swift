// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

/// The heads of all responses to one request: redirects, informational ones, the final one. A chain of redirects may
/// have no end, so their number and size are unbounded: only a window of them stays in memory.
struct HeadLog {
    /// The most that waits to be written, in bytes, before one more head.
    static let window = 256 * 1024

    /// Bytes of all heads so far.
    private(set) var size = 0
    /// What has not been taken yet.
    private(set) var waiting: Data
    /// Whether the heads are written somewhere. If not, they are only counted.
    let isKept: Bool

    /// - Parameter earlier: the heads of earlier attempts that have not been taken.
    init(isKept: Bool, earlier: Data = Data()) {
        self.isKept = isKept
        waiting = earlier
    }

    /// Adds a head. Returns everything that waits when it exceeds the window, for the caller to write at once.
    mutating func append(_ response: Tern.HTTPURLResponse) -> Data? {
        let head = ResponseHeadText.bytes(response)
        size += head.count
        guard isKept else { return nil }
        waiting.append(head)
        return waiting.count > Self.window ? takeAll() : nil
    }

    /// Returns what waits, and forgets it.
    private mutating func takeAll() -> Data {
        defer { waiting = Data() }
        return waiting
    }
}
