// SPDX-License-Identifier: Apache-2.0

/// Turns the bytes of an exchange into those of its task: unchanged, or through one or several decoders.
///
/// The input is pushed, and the consumer may stop it anywhere: within the input and within the output.
struct BodyPath: ~Copyable {
    /// The maximum delivered at once where content is decoded, and the buffer size of each coding.
    static let windowSize = DecodedWindow.size

    private let chain: DecodingChain?

    /// Delivers the input unchanged.
    init() { chain = nil }

    /// - Parameter codings: in the order in which they were applied.
    init(decoding codings: [ContentCoding], limits: ContentDecodingLimits) throws(ContentDecodingError) {
        chain = codings.isEmpty ? nil : try DecodingChain(codings, limits.clamped)
    }

    var isIdentity: Bool { chain == nil }

    /// Lends the output to `deliver`, chunk by chunk, until `bytes` are consumed or it returns false: that chunk counts
    /// as delivered. Returns how many of `bytes` are consumed; pass the rest again. Without bytes it continues where it
    /// was stopped.
    ///
    /// Without codings, the input is delivered whole. Decoders deliver at most a window at once, and the output before
    /// an error before they throw it. With each chunk comes the price, in bytes, of the work since the previous one.
    /// Work without output has a price as well: decoders deliver an empty span when that price reaches a window's, so
    /// that the caller can stop there.
    mutating func receive(
        _ bytes: Span<UInt8>, deliver: (Span<UInt8>, _ price: Int) -> Bool
    ) throws(ContentDecodingError) -> Int {
        guard let chain else {
            if !bytes.isEmpty { _ = deliver(bytes, bytes.count) }
            return bytes.count
        }
        return try chain.receive(bytes, deliver: deliver)
    }

    /// Whether there may be output, or an error to throw, without further input.
    var hasMore: Bool { chain?.hasMore ?? false }

    /// The body has ended and all of it is consumed. Throws if its coding is incomplete.
    mutating func finish() throws(ContentDecodingError) { try chain?.finish() }
}
