// SPDX-License-Identifier: Apache-2.0

/// Whether a response leaves its connection open.
enum Persistence {
    /// RFC 9112 §9.3, step by step.
    static func isGranted(_ head: FramingHeaders, version: HTTPVersion, _ framing: BodyFraming) -> Bool {
        // Content that ends with the connection leaves none, and neither does another protocol.
        switch framing {
        case .untilClose, .handover: return false
        case .none, .exactly, .chunked: break
        }
        // 1. The close option ends the connection.
        if head.saysClose { return false }
        // 2. HTTP/1.1 and later minor versions persist.
        if version.minor >= 1 { return true }
        // 3. HTTP/1.0 persists when it says keep-alive. Chunked it should not have been (§6.1): close.
        // 4. Otherwise the connection closes.
        return head.saysKeepAlive && !head.isChunked
    }
}
