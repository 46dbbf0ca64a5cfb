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

/// Decoders in sequence, each of which reads the output of the previous one.
///
/// The last decoder that has input always runs first. So none produces more before the next has consumed everything,
/// and each holds at most one window.
final class DecodingChain {
    /// The price of a block besides its bytes: about 3 µs if it defines codes of its own (RFC 1951 §3.2.7), even if it
    /// is empty.
    static let blockPrice = 2048
    /// The number of blocks processed at once: as expensive as a window.
    static let blocksAtOnce = DecodedWindow.size / blockPrice

    /// In the order of decoding: the last coding applied comes first.
    private let decoders: [ContentDecoder]
    private let limits: ContentDecodingLimits
    /// The number of bytes that the first decoder has consumed.
    private var received = 0
    /// The price of the work since `deliver` was last called. Kept between calls: many small inputs are no cheaper than
    /// a large one.
    private var unpaid = 0

    init(_ codings: [ContentCoding], _ limits: ContentDecodingLimits) throws(ContentDecodingError) {
        guard codings.count <= limits.maximumCodingCount else {
            throw .tooManyCodings(limit: limits.maximumCodingCount)
        }
        var decoders: [ContentDecoder] = []
        decoders.reserveCapacity(codings.count)
        for coding in codings.reversed() { decoders.append(try ContentDecoder(coding)) }
        self.decoders = decoders
        self.limits = limits
    }

    var hasMore: Bool { furthest(hasInput: false) != nil }

    func receive(_ bytes: Span<UInt8>, deliver: (Span<UInt8>, Int) -> Bool) throws(ContentDecodingError) -> Int {
        var offset = 0
        while let index = furthest(hasInput: offset < bytes.count) {
            let decoder = decoders[index]
            if let failure = decoder.failure { throw failure }
            unpaid += run(index, bytes, from: &offset)
            let price = unpaid
            if index == decoders.count - 1, decoder.waiting > 0 {
                unpaid = 0
                guard decoder.deliver({ deliver($0, price) }) else { return offset }
            } else if unpaid >= DecodedWindow.size {
                unpaid = 0
                guard deliver(Span(), price) else { return offset }
            }
        }
        return offset
    }

    func finish() throws(ContentDecodingError) {
        for decoder in decoders {
            if let failure = decoder.failure { throw failure }
            guard decoder.isComplete else { throw .truncated }
        }
    }

    private func furthest(hasInput: Bool) -> Int? {
        for index in decoders.indices.reversed() {
            if decoders[index].isHolding || decoders[index].failure != nil { return index }
            if index == 0 ? hasInput : decoders[index - 1].waiting > 0 { return index }
        }
        return nil
    }

    /// Returns the price of the work: the larger of bytes consumed and bytes produced, and the surcharge.
    private func run(_ index: Int, _ bytes: Span<UInt8>, from offset: inout Int) -> Int {
        let decoder = decoders[index]
        let (made, surcharge) = (decoder.made, decoder.surcharge)
        let limit = index == decoders.count - 1 ? limits.maximumDecodedSize : nil
        var consumed = 0
        if index == 0 {
            let start = offset
            decoder.decode(bytes, from: &offset, limit: limit)
            consumed = offset - start
            received += consumed
        } else {
            decoders[index - 1].lend { input in
                decoder.decode(input, from: &consumed, limit: limit)
                return consumed
            }
        }
        // The ratio applies to each decoder, not only to the last: output that a later decoder skips must be produced
        // all the same.
        if decoder.made > limits.expansionAllowance, (decoder.made - 1) / limits.maximumExpansionRatio >= received {
            decoder.refuse(.ratioExceeded(limit: limits.maximumExpansionRatio))
        }
        return max(consumed, decoder.made - made) + decoder.surcharge - surcharge
    }
}
