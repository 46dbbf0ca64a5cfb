// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// The bytes of one request, and how far they have been sent. Reused for every exchange of a connection, and its memory too.
struct OutgoingRequest: ~Copyable {
    /// Bodies up to this size, in bytes, leave in one piece with the head.
    private static let bodyCopiedIntoHead = 16 * 1024

    private var head: [UInt8] = []
    private var headSent = 0
    private var body: Data?
    private var bodySent = 0

    var isSent: Bool { headSent == head.count && body == nil }

    /// Whether the request is more than a head.
    private(set) var hasContent = false

    /// Begins an exchange with the request of `hop`. When it throws, there is nothing to send.
    mutating func begin(
        _ hop: Hop, on exchange: inout Exchange, _ settings: ExchangeSettings
    ) throws(InvalidRequest) {
        let request = hop.request
        let defaults = hop.mayCarryCredentials ? settings.fields : settings.harmlessFields
        hasContent = request.httpBody != nil
        head.removeAll(keepingCapacity: true)
        (headSent, bodySent, body) = (0, 0, nil)
        try request.begin(&exchange, defaults: defaults, into: &head)
        do throws(HTTP1Error) {
            if let content = request.httpBody {
                if content.count <= Self.bodyCopiedIntoHead {
                    try exchange.sendBody(content.span, into: &head)
                } else {
                    try exchange.sendBody(count: content.count)
                    body = content
                }
            }
            try exchange.finishSending(into: &head)
        } catch {
            drop()
            throw .unencodable(error)
        }
    }

    /// Sends until everything is out or the kernel takes no more.
    mutating func send(over transport: inout Transport?) throws(TransportError) {
        while headSent < head.count {
            let sent = unsafe head.withUnsafeBytes { bytes in
                unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[headSent...]), over: &transport)
            }
            let count = try sent.get()
            if count == 0 { return }
            headSent += count
        }
        guard let body else { return }
        while bodySent < body.count {
            let sent = unsafe body.withUnsafeBytes { bytes in
                unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[bodySent...]), over: &transport)
            }
            let count = try sent.get()
            if count == 0 { return }
            bodySent += count
        }
        self.body = nil
    }

    /// Forgets what has not been sent.
    mutating func drop() {
        headSent = head.count
        body = nil
    }

    private static func send(
        _ bytes: UnsafeRawBufferPointer, over transport: inout Transport?
    ) -> Result<Int, TransportError> {
        Result { () throws(TransportError) in try unsafe transport?.send(bytes) ?? 0 }
    }
}
