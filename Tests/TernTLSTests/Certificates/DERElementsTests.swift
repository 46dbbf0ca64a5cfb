// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct DERElementsTests {
    private func elements(_ bytes: [UInt8]) -> (contents: [[UInt8]], isAtEnd: Bool)? {
        guard var elements = DERElements(sequence: bytes) else { return nil }
        var contents: [[UInt8]] = []
        while let element = elements.next() { contents.append([element.tag] + element.content) }
        return (contents, elements.isAtEnd)
    }

    @Test func `elements are read in order, with short and long lengths`() {
        let long = [UInt8](repeating: 7, count: 200)
        let body: [UInt8] = [0x82, 1, 65, 0x87, 0, 0x04, 0x81, 200] + long
        let whole = elements([0x30, 0x81, UInt8(body.count)] + body)
        #expect(whole?.contents == [[0x82, 65], [0x87], [0x04] + long])
        #expect(whole?.isAtEnd == true)
        #expect(elements([0x30, 0])?.contents == [])
    }

    @Test func `a truncated or overlong encoding is not a sequence`() {
        let whole: [UInt8] = [0x30, 5, 0x82, 3, 1, 2, 3]
        for count in 0..<whole.count { #expect(elements(Array(whole.prefix(count))) == nil) }
        #expect(elements(whole + [0]) == nil)
        #expect(elements([0x31] + whole.dropFirst()) == nil)
        #expect(elements([0x30, 0x84, 0, 0, 0, 0]) == nil)
        #expect(elements([0x30, 0x80]) == nil)
    }

    @Test(arguments: [0, 1, 127, 128, 255, 256, 65535, 65536, 70_000])
    func `what is encoded is read again`(count: Int) {
        let content = [UInt8](repeating: 7, count: count)
        let inner = DERElements.element(0x04, content)
        #expect(inner.count == count + (count < 128 ? 2 : count < 256 ? 3 : count < 65536 ? 4 : 5))
        let read = elements(DERElements.element(0x30, inner))
        #expect(read?.contents == [[0x04] + content] && read?.isAtEnd == true)
    }

    @Test func `a length takes no more bytes than it needs`() {
        #expect(elements([0x30, 0x81, 3, 0x82, 1, 7]) == nil)
        #expect(elements([0x30, 0x82, 0, 3, 0x82, 1, 7]) == nil)
        #expect(elements([0x30, 0x82, 0, 0x80] + [UInt8](repeating: 0x05, count: 0x80)) == nil)
        #expect(elements([0x30, 0x81, 0x80] + [UInt8](repeating: 0, count: 0x80))?.isAtEnd == true)
    }

    @Test(arguments: [[0x82], [0x82, 2, 1], [0x82, 0x81], [0x82, 0x85, 1, 1, 1, 1, 1]] as [[UInt8]])
    func `a malformed element ends the reading before the end`(body: [UInt8]) {
        let read = elements([0x30, UInt8(body.count)] + body)
        #expect(read?.contents == [])
        #expect(read?.isAtEnd == false)
    }
}
