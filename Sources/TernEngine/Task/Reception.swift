// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What a response needs while it arrives, beyond its delegate: a decoder, who gets a copy, and what of its end waits for the
/// delegate. The machine of its task has it: it moves to another task with that, and ends with its response. An object,
/// because most responses need none.
final class Reception {
    fileprivate var decoding: ContentDecoding?
    /// Receives a copy of the content, before it is decoded.
    fileprivate(set) var tee: (any ContentTee)?
    /// The fields that came after the content: once it has ended, and the delegate has not answered.
    fileprivate var trailers: (kept: HeaderFields, discarded: HeaderFields)?

    fileprivate init() {}

    /// Whether the content is decoded. Otherwise it is delivered as it arrives.
    var decodes: Bool { decoding != nil }

    /// Decodes `bytes`, and lends the output to `deliver`, until that returns false. Returns how many are consumed.
    func decode(
        _ bytes: Span<UInt8>, deliver: (Span<UInt8>, _ price: Int) -> Bool
    ) throws(ContentDecodingError) -> ContentTaken {
        guard let taken = try decoding?.receive(bytes, deliver: deliver) else { return .all }
        return taken == bytes.count && decoding?.hasMore == false ? .all : .some(taken)
    }

    /// The content has ended. Throws if its coding is incomplete.
    func finish() throws(ContentDecodingError) { try decoding?.finish() }
}

extension Reception? {
    private var made: Reception {
        mutating get {
            if let self { return self }
            let made = Reception()
            self = made
            return made
        }
    }

    mutating func decode(by decoding: consuming ContentDecoding) { made.decoding = consume decoding }

    mutating func copy(to tee: any ContentTee) { made.tee = tee }

    mutating func hold(_ trailers: HeaderFields, _ discarded: HeaderFields) { made.trailers = (trailers, discarded) }

    /// Returns the fields that are held, once; nil if the content has not ended.
    func takeTrailers() -> (kept: HeaderFields, discarded: HeaderFields)? { self?.trailers.take() }

    /// The response is over. Returns the question whether the copy is kept, if that is one.
    mutating func end(isComplete: Bool) -> CacheQuestion? { take()?.tee?.ended(isComplete: isComplete) }
}
