// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct DecodedWindowTests {
    private func fill(_ window: inout DecodedWindow, _ count: Int) {
        window.append(count) { output in
            while !output.isFull { output.append(UInt8(truncatingIfNeeded: output.count)) }
        }
    }

    @Test func `lends what was put in until it is taken`() {
        var window = DecodedWindow()
        fill(&window, 3)
        fill(&window, 2)
        #expect(window.count == 5)
        #expect(window.room == DecodedWindow.size - 5)
        var seen: [UInt8] = []
        for taken in [4, -1, 0, 99] {
            window.lend { span in
                for index in span.indices { seen.append(span[index]) }
                return taken
            }
        }
        #expect(seen == [0, 1, 2, 0, 1, 1, 1, 1])
        #expect(window.count == 0)
        #expect(window.room == DecodedWindow.size)
    }

    @Test(arguments: [-1, 0, 7, DecodedWindow.size, .max])
    func `has no more room than its size`(most: Int) {
        var window = DecodedWindow()
        fill(&window, most)
        #expect(window.count == min(max(0, most), DecodedWindow.size))
        fill(&window, .max)
        #expect(window.room == 0)
        fill(&window, 1)
        #expect(window.count == DecodedWindow.size)
        window.dropLast()
        #expect(window.count == DecodedWindow.size - 1)
        window.clear()
        window.dropLast()
        #expect(window.count == 0)
    }
}
