// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct IndexedHeapTests {
    private final class Element: IndexedHeapElement {
        let heapKey: Int64
        var heapIndex = -1

        init(_ key: Int64) { heapKey = key }
    }

    @Test(arguments: 1...20) func `the least comes first, whatever comes and goes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = IndexedHeap<Element>()
        var elements: [Element] = []
        for _ in 0..<1000 {
            if Int.random(in: 0..<5, using: &generator) < 3 {
                let element = Element(Int64.random(in: 0..<50, using: &generator))
                elements.append(element)
                heap.insert(element)
            } else if let index = elements.indices.randomElement(using: &generator) {
                let element = elements.remove(at: index)
                heap.remove(element)
                // It is not there any more.
                heap.remove(element)
            }
            let (first, count) = (heap.first?.heapKey, heap.count)
            #expect(first == elements.map(\.heapKey).min())
            #expect(count == elements.count)
        }
        for element in elements {
            let isThere = heap.contains(element)
            #expect(isThere)
        }
    }
}
