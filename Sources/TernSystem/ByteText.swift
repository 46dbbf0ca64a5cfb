// SPDX-License-Identifier: Apache-2.0
// Safety: the pointer that a body gets is to a text or an array that outlives the call.
import TernLibC
import Synchronization

/// Bytes that need not be UTF-8, such as those of an argument or of a file's name, as a text from which the same bytes
/// can be read again.
///
/// UTF-8 is itself. Each other byte is one scalar of a private-use range, U+10F780 to U+10F7FF. Where the bytes hold the
/// UTF-8 of such a scalar, its four bytes are other bytes, too, so that no two byte sequences have the same text.
package enum ByteText {
    private static let base: UInt32 = 0x10F700
    private static let escapes: ClosedRange<UInt32> = 0x10F780...0x10F7FF
    private static let areUsedForPaths = Atomic<Bool>(false)

    /// The text of `bytes`.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var rest = bytes[...]
        while true {
            let length: Int
            var scalar: Unicode.Scalar?
            switch parser.parseScalar(from: &input) {
            case .emptyInput: return String(text)
            case .valid(let units):
                length = units.count
                scalar = Unicode.UTF8.decode(units)
            case .error(let count): length = count
            }
            if let scalar, !escapes.contains(scalar.value) {
                text.append(scalar)
            } else {
                for byte in rest.prefix(length) { text.append(escape(byte)) }
            }
            rest = rest.dropFirst(length)
        }
    }

    /// The bytes whose text this is.
    package static func bytes(of text: some StringProtocol) -> [UInt8] {
        if !hasEscapes(text) { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) {
                bytes.append(byte)
            } else {
                bytes += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        return bytes
    }

    /// The same text with another one for each byte that is not UTF-8.
    package static func replacing(in text: String, by replacement: (UInt8) -> String) -> String {
        if !hasEscapes(text) { return text }
        return text.unicodeScalars.map { byte(of: $0).map(replacement) ?? String($0) }.joined()
    }

    /// From now on, the paths that the process names to the system are texts of this kind. Otherwise a path is UTF-8.
    package static func useForPaths() { areUsedForPaths.store(true, ordering: .relaxed) }

    /// The text of a path, or of a part of one, that the system, a server or a URL has named by these bytes.
    package static func text(ofPath bytes: some Collection<UInt8>) -> String {
        areUsedForPaths.load(ordering: .relaxed) ? text(of: bytes) : String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes that name this path to the system.
    package static func bytes(ofPath path: String) -> [UInt8] {
        areUsedForPaths.load(ordering: .relaxed) ? bytes(of: path) : Array(path.utf8)
    }

    /// Calls `body` with the path as the system takes it.
    package static func withPath<Result>(_ path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        if !areUsedForPaths.load(ordering: .relaxed) || !hasEscapes(path) { return unsafe path.withCString(body) }
        let bytes = bytes(of: path).map(CChar.init(bitPattern:)) + [0]
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return unsafe "".withCString(body) }
            return unsafe body(base)
        }
    }

    private static func escape(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
    }

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Only they, and few other scalars, begin with this byte in UTF-8.
    private static func hasEscapes(_ text: some StringProtocol) -> Bool { text.utf8.contains(0xF4) }
}
