// SPDX-License-Identifier: Apache-2.0

/// The way from the octets of an exchange to those of its task: nothing in between, or one or several decoders in a row.
///
/// It is pushed from one end and stopped from the other, in the midst of what it is given and of what it makes of it.
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

    /// Lends `deliver` what comes out, piece by piece, until `bytes` are used up or it answers false: that piece is delivered, and
    /// no other. Answers how many of `bytes` are consumed; the rest are to be given again. With none of them it goes on where it
    /// was stopped.
    ///
    /// An identity delivers what it is given, whole. Decoders deliver a window at most, and what they had made before an error
    /// before they throw it. They lend `deliver` an empty span when as much as a window has been worked off in vain, so that
    /// whoever counts its turns can stop there as well.
    mutating func receive(
        _ bytes: Span<UInt8>, deliver: (Span<UInt8>) -> Bool
    ) throws(ContentDecodingError) -> Int {
        guard let chain else {
            if !bytes.isEmpty { _ = deliver(bytes) }
            return bytes.count
        }
        return try chain.receive(bytes, deliver: deliver)
    }

    /// Whether there may be something to deliver, or an error to throw, without further input.
    var hasMore: Bool { chain?.hasMore ?? false }

    /// The body has ended, all of it is consumed, and there is no more. Throws if its coding has not ended as well.
    mutating func finish() throws(ContentDecodingError) { try chain?.finish() }
}
