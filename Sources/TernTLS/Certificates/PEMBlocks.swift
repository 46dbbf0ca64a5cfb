// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The blocks of a PEM text.
enum PEMBlocks {
    /// The next block of any kind; nil at the end, and with a reason in OpenSSL's queue at a malformed block.
    @unsafe static func next(_ bio: OpaquePointer) -> (kind: String, contents: [UInt8])? {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard unsafe PEM_read_bio(bio, &name, &header, &data, &length) == 1 else { return nil }
        defer {
            unsafe CRYPTO_free(name, nil, 0)
            unsafe CRYPTO_free(header, nil, 0)
            unsafe CRYPTO_free(data, nil, 0)
        }
        return unsafe (String(cStringOrEmpty: name), Array(UnsafeBufferPointer(start: data, count: max(0, length))))
    }
}

/// RFC 4648 §4, with padding; strict, so that each value has one encoding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 0x3f] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for a foreign character, a missing or misplaced `=`, or bits set after the last byte.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        var bits = 0
        var held = 0
        for character in text.dropLast(padding) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xffff
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
            }
        }
        return bits & (1 << held - 1) == 0 ? bytes : nil
    }
}
