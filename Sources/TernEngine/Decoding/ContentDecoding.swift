// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Decodes the content of one response.
struct ContentDecoding: ~Copyable {
    private var path = BodyPath()
    /// Why the content cannot be decoded; thrown when content arrives.
    private var error: ContentDecodingError?

    private init(_ codings: AppliedCodings, limits: ContentDecodingLimits) {
        do throws(ContentDecodingError) {
            if codings.areTooMany { throw .tooManyCodings(limit: limits.clamped.maximumCodingCount) }
            path = try BodyPath(decoding: codings.decodable, limits: limits)
        } catch {
            self.error = error
        }
    }

    /// Returns nil if the content of `response` is not coded in a way that Tern decodes. Otherwise marks the response
    /// as decoded.
    static func decoding(of response: inout HTTPURLResponse, limits: ContentDecodingLimits) -> ContentDecoding? {
        guard response.head.contains("Content-Encoding") else { return nil }
        let codings = AppliedCodings(of: response.head)
        if codings.decodable.isEmpty, !codings.areTooMany { return nil }
        response.isContentDecoded = true
        return ContentDecoding(codings, limits: limits)
    }

    /// Decodes `bytes` and lends the output to `deliver`, with its price, until `deliver` returns false. Returns how
    /// many bytes are consumed.
    mutating func receive(
        _ bytes: Span<UInt8>, deliver: (Span<UInt8>, _ price: Int) -> Bool
    ) throws(ContentDecodingError) -> Int {
        if let error { throw error }
        return try path.receive(bytes, deliver: deliver)
    }

    /// Whether there may be output without further input.
    var hasMore: Bool { path.hasMore }

    /// The content has ended. Throws if its coding is incomplete.
    mutating func finish() throws(ContentDecodingError) {
        if let error { throw error }
        try path.finish()
    }
}
