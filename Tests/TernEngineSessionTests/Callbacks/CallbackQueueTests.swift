// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernLock
import TestProofs
import Testing

@testable import TernEngine

@Suite struct CallbackQueueTests {
    /// Records what it is called for, and may post another from within.
    private final class Source: CallbackQueue.Source {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }

        func performCallbacks() { perform() }
    }

    private final class Busy: Sendable {
        let flag = Atomic<Bool>(false)
    }

    @Test func `sources are called back in the order they were posted`() async {
        let dispatchQueue = DispatchQueue(label: "test")
        let queue = CallbackQueue { dispatchQueue.async(execute: $0) }
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        dispatchQueue.suspend()
        for number in 0..<100 { queue.post(Source { continuation.yield(number) }) }
        queue.post(Source { continuation.finish() })
        dispatchQueue.resume()
        #expect(await numbers.reduce(into: []) { $0.append($1) } == Array(0..<100))
    }

    @Test func `what is posted from a callback is called back, after those who wait`() async {
        let dispatchQueue = DispatchQueue(label: "test")
        let queue = CallbackQueue { dispatchQueue.async(execute: $0) }
        let (words, continuation) = AsyncStream.makeStream(of: String.self)
        dispatchQueue.suspend()
        queue.post(
            Source {
                continuation.yield("first")
                queue.post(
                    Source {
                        continuation.yield("third")
                        continuation.finish()
                    })
            })
        queue.post(Source { continuation.yield("second") })
        dispatchQueue.resume()
        #expect(await words.reduce(into: []) { $0.append($1) } == ["first", "second", "third"])
    }

    @Test(.proves("11.5b")) func `callbacks never overlap, not even on a concurrent queue`() async {
        let concurrent = DispatchQueue(label: "test", attributes: .concurrent)
        let queue = CallbackQueue { concurrent.async(execute: $0) }
        let (overlaps, continuation) = AsyncStream.makeStream(of: Bool.self)
        let busy = Busy()
        let posters = (0..<4).map { _ in
            Task {
                for _ in 0..<250 {
                    queue.post(
                        Source {
                            continuation.yield(busy.flag.exchange(true, ordering: .sequentiallyConsistent))
                            busy.flag.store(false, ordering: .sequentiallyConsistent)
                        })
                }
            }
        }
        for poster in posters { await poster.value }
        queue.post(Source { continuation.finish() })
        let seen = await overlaps.reduce(into: []) { $0.append($1) }
        #expect(seen.count == 1000)
        #expect(!seen.contains(true))
    }
}

@Suite struct CallbackBlockTests {
    @Test func `a block runs once`() {
        let count = Lock(0)
        let block = CallbackBlock { count.withLock { $0 += 1 } }
        block.performCallbacks()
        block.performCallbacks()
        #expect(count.withLock { $0 } == 1)
    }
}
