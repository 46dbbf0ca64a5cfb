// SPDX-License-Identifier: Apache-2.0

/// Whether a response leaves its connection open.
enum Persistence {
    /// RFC 9112 §9.3, step by step.
    static func isGranted(_ head: FramingHeaders, version: HTTPVersion, _ framing: BodyFraming) -> Bool {
        // Content delimited by the connection's end, or another protocol, ends the connection.
        switch framing {
        case .untilClose, .handover: return false
        case .none, .exactly, .chunked: break
        }
        // 1. The close option ends the connection.
        if head.saysClose { return false }
        // 2. HTTP/1.1 and later minor versions persist.
        if version.minor >= 1 { return true }
        // 3. HTTP/1.0 persists with keep-alive, except after a chunked response, which §6.1 calls faulty.
        // 4. Otherwise the connection closes.
        return head.saysKeepAlive && !head.isChunked
    }
}
