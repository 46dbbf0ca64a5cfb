// SPDX-License-Identifier: Apache-2.0
import TernEngine
import Testing

@testable import TernWebSocket

/// Headers, masks and UTF-8, each as a value.
@Suite struct FrameTests {
    private func header(_ bytes: [UInt8], allowsCompression: Bool = false) throws(WebSocketViolation) -> FrameHeader {
        try FrameHeader(bytes.span, allowsCompression: allowsCompression)
    }

    private func violation(_ bytes: [UInt8], allowsCompression: Bool = false) -> WebSocketViolation? {
        do throws(WebSocketViolation) {
            _ = try header(bytes, allowsCompression: allowsCompression)
            return nil
        } catch {
            return error
        }
    }

    private func written(_ header: FrameHeader) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: FrameHeader.maximumSize) { room, count in
            var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
            header.write(to: &output)
            count = unsafe output.finalize(for: room)
        }
    }

    @Test(arguments: [0, 1, 125, 126, 127, 0xFFFF, 0x1_0000, 1 << 32, Int.max])
    func `a length is written in its shortest form, and read again`(length: Int) throws {
        let bytes = written(FrameHeader(.binary, isFinal: false, mask: nil, length: length))
        #expect(bytes.count == (length < 126 ? 2 : length < 0x1_0000 ? 4 : 10))
        #expect(FrameHeader.size(of: bytes.span) == bytes.count)
        #expect(try header(bytes) == FrameHeader(.binary, isFinal: false, mask: nil, length: length))
    }

    @Test func `a masked header has its key behind the length, its first byte first`() {
        #expect(
            written(FrameHeader(.text, isCompressed: true, mask: 0x3D21_FA37, length: 5))
                == [0xC1, 0x85, 0x37, 0xFA, 0x21, 0x3D])
    }

    @Test func `every first byte is a frame, or breaks the rule that it should`() {
        for byte in UInt8.min ... .max {
            let isReserved = byte & 0x30 != 0
            for allowsCompression in [false, true] {
                let expected: WebSocketViolation? =
                    switch byte & 0x0F {
                    case 3...7, 11...15: .opcode
                    case _ where isReserved: .reservedBit
                    case 1, 2: byte & 0x40 != 0 && !allowsCompression ? .reservedBit : nil
                    case 0: byte & 0x40 != 0 ? .reservedBit : nil
                    default: byte & 0x40 != 0 ? .reservedBit : byte & 0x80 == 0 ? .fragmentedControlFrame : nil
                    }
                #expect(violation([byte, 0], allowsCompression: allowsCompression) == expected, "\(byte)")
            }
        }
    }

    @Test(
        arguments: [
            ([0x82, 0x80, 0, 0, 0, 0], .mask), ([0x82, 126, 0, 125], .length), ([0x82, 126, 0, 126], nil),
            ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .length), ([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], nil),
            ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .length),
            ([0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
            ([0x89, 125], nil), ([0x89, 126, 0, 126], .controlFrameTooLong),
            ([0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0], .controlFrameTooLong), ([0x82], .length), ([0x82, 126, 0], .length),
        ] as [([UInt8], WebSocketViolation?)])
    func `a header that breaks a rule says which`(bytes: [UInt8], expected: WebSocketViolation?) {
        #expect(violation(bytes) == expected)
    }

    @Test func `a mask is that of RFC 6455, at every length and from every place on`() {
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let expected = message.indices.map { message[$0] ^ key[$0 & 3] }
        for first in 0..<70 {
            for second in [0, 1, 3, 4, 7, 8, 63, 64, 65, 200] {
                var masking = Masking(0x3D21_FA37)
                let masked = unsafe [UInt8](unsafeUninitializedCapacity: 300) { room, count in
                    var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
                    let cuts = [0, first, first + second, 300]
                    for (start, end) in zip(cuts, cuts.dropFirst()) {
                        #expect(masking.append(message.span.extracting(start..<end), to: &output) == end - start)
                    }
                    count = unsafe output.finalize(for: room)
                }
                #expect(masked == expected)
            }
        }
    }

    @Test func `a mask stops where there is no room`() {
        var masking = Masking(0)
        let masked = unsafe [UInt8](unsafeUninitializedCapacity: 3) { room, count in
            var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
            #expect(masking.append([1, 2, 3, 4, 5].span, to: &output) == 3)
            count = unsafe output.finalize(for: room)
        }
        #expect(masked == [1, 2, 3])
    }

    /// Each with what is before and behind it, cut at every place.
    @Test(
        arguments: [
            [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
            // Continuations alone, overlong forms, surrogates, above U+10FFFF, bytes that never occur, cut characters.
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC2],
            [0xE0, 0xA0], [0xF0, 0x90, 0x80], [0xC2, 0x41], [0xE1, 0x80, 0xC2, 0x80],
        ] as [[UInt8]])
    func `UTF-8 is told as the standard library does, wherever it is cut`(bytes: [UInt8]) {
        let around = Array("ab€😀 and enough ASCII for the fast way, twice: 0123456789abcdef".utf8)
        for text in [bytes, around + bytes, bytes + around, around + bytes + around] {
            let isValid = String(validating: text, as: UTF8.self) != nil
            for cut in 0...text.count {
                var check = UTF8Check()
                let taken =
                    check.take(text.span.extracting(first: cut)) && check.take(text.span.extracting(droppingFirst: cut))
                #expect((taken && check.isComplete) == isValid, "\(text) at \(cut)")
            }
        }
    }

    @Test func `UTF-8 of any bytes is told as the standard library does`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let pool: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5]
            let bytes = (0..<Int.random(in: 0...8)).map { _ in pool.randomElement(using: &random) ?? 0 }
            var check = UTF8Check()
            #expect(
                (check.take(bytes.span) && check.isComplete) == (String(validating: bytes, as: UTF8.self) != nil),
                "\(bytes)")
        }
    }
}
