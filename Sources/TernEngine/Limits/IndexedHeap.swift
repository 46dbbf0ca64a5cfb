// SPDX-License-Identifier: Apache-2.0

/// An object in at most one heap, which stores its index.
protocol IndexedHeapElement: AnyObject {
    /// The least comes first. It does not change while the element is in a heap.
    var heapKey: Int64 { get }
    /// Written by the heap that contains the element, and meaningless outside of one.
    var heapIndex: Int { get set }
}

/// A binary heap from which any element can be removed in logarithmic time, because each stores its position.
struct IndexedHeap<Element: IndexedHeapElement>: ~Copyable {
    private var elements: [Element] = []

    var count: Int { elements.count }

    var isEmpty: Bool { elements.isEmpty }

    /// The one with the least key.
    var first: Element? { elements.first }

    func contains(_ element: Element) -> Bool {
        elements.indices.contains(element.heapIndex) && elements[element.heapIndex] === element
    }

    mutating func insert(_ element: Element) {
        elements.append(element)
        rise(element, from: elements.count - 1)
    }

    /// Removes `element`, if it is in this heap.
    mutating func remove(_ element: Element) {
        guard contains(element), let last = elements.popLast(), last !== element else { return }
        let hole = element.heapIndex
        elements[hole] = last
        sink(last, from: hole)
        rise(last, from: last.heapIndex)
    }

    /// Moves `element` towards the front as far as its key allows.
    private mutating func rise(_ element: Element, from start: Int) {
        var index = start
        while index > 0, element.heapKey < elements[(index - 1) / 2].heapKey {
            move(elements[(index - 1) / 2], to: index)
            index = (index - 1) / 2
        }
        move(element, to: index)
    }

    private mutating func sink(_ element: Element, from start: Int) {
        var index = start
        while 2 * index + 1 < elements.count {
            var least = 2 * index + 1
            if least + 1 < elements.count, elements[least + 1].heapKey < elements[least].heapKey { least += 1 }
            if elements[least].heapKey >= element.heapKey { break }
            move(elements[least], to: index)
            index = least
        }
        move(element, to: index)
    }

    private mutating func move(_ element: Element, to index: Int) {
        elements[index] = element
        element.heapIndex = index
    }
}

extension IndexedHeap: Sendable where Element: Sendable {}
