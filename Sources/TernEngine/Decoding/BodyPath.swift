// SPDX-License-Identifier: Apache-2.0

/// The way from the bytes of an exchange to those of its task: nothing in between, or one or several decoders in a row.
///
/// The input is pushed, and the output may stop it anywhere: within what is given and within what comes out.
struct BodyPath: ~Copyable {
    /// The most that is delivered at once where something is decoded, and what each coding holds at most.
    static let windowSize = DecodedWindow.size

    private let chain: DecodingChain?

    /// What comes is what is delivered.
    init() { chain = nil }

    /// - Parameter codings: in the order in which they were applied.
    init(decoding codings: [ContentCoding], limits: ContentDecodingLimits) throws(ContentDecodingError) {
        chain = codings.isEmpty ? nil : try DecodingChain(codings, limits.clamped)
    }

    var isIdentity: Bool { chain == nil }

    /// Lends `deliver` what comes out, piece by piece, until `bytes` are used up or it returns false: that piece is
    /// delivered, and no other. Returns how many of `bytes` are consumed; the rest are to be given again. With none of
    /// them it continues where it was stopped.
    ///
    /// An identity delivers what it is given, whole. Decoders deliver a window at most, and what they had made before
    /// an error before they throw it. With each piece comes the price of the work since the piece before, in bytes.
    /// Work that makes nothing has a price as well: decoders deliver an empty span when it has come to a window's, so
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

    /// Whether there may be something to deliver, or an error to throw, without further input.
    var hasMore: Bool { chain?.hasMore ?? false }

    /// The body has ended, all of it is consumed, and there is no more. Throws if its coding has not ended as well.
    mutating func finish() throws(ContentDecodingError) { try chain?.finish() }
}
