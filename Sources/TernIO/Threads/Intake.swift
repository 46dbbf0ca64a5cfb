// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Elements that any thread puts in without waiting for another, and that a thread takes out together: a list without a
/// lock, for what a reactor hands over.
@safe
struct Intake<Element: Sendable>: ~Copyable, Sendable {
    /// Written before the list has it, hence `@unchecked Sendable`.
    @safe
    private final class Node: @unchecked Sendable {
        let element: Element
        var next: Unmanaged<Node>?

        init(_ element: Element) {
            self.element = element
            unsafe next = nil
        }
    }

    private let last = unsafe Atomic<Unmanaged<Node>?>(nil)

    var isEmpty: Bool { unsafe last.load(ordering: .sequentiallyConsistent) == nil }

    func put(_ element: Element) {
        let node = Node(element)
        let made = unsafe Unmanaged.passRetained(node)
        var seen = unsafe last.load(ordering: .relaxed)
        while true {
            unsafe node.next = seen
            let (isDone, found) = unsafe last.weakCompareExchange(
                expected: seen, desired: made, ordering: .sequentiallyConsistent)
            if isDone { return }
            unsafe seen = found
        }
    }

    /// In the order in which they were put in.
    func takeAll() -> [Element] {
        var taken: [Element] = []
        var next = unsafe last.exchange(nil, ordering: .sequentiallyConsistent)
        while let node = unsafe next?.takeRetainedValue() {
            taken.append(node.element)
            unsafe next = node.next
        }
        taken.reverse()
        return taken
    }

    deinit { _ = takeAll() }
}
