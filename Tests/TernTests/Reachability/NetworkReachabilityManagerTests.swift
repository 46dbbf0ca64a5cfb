// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TestProofs
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(1))) struct NetworkReachabilityManagerTests {
    @Test(.proves("10.3b"), arguments: ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.3.2.1", "::1"])
    func `loopback is reachable`(host: String) throws {
        let manager = try #require(NetworkReachabilityManager(host: host))
        #expect(manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        #expect(manager.isReachable && manager.isReachableOnEthernetOrWiFi && !manager.isReachableOnWWAN)
    }

    @Test(.proves("10.3a")) func `no host is none`() {
        for host in ["", "a b", "a\0b", "a\nb"] { #expect(NetworkReachabilityManager(host: host) == nil) }
        #expect(NetworkReachabilityManager() != nil)
    }

    @Test func `an address that the kernel has no route to is not reachable`() {
        // 0.0.0.0/8 and multicast of no scope lead nowhere.
        let manager = NetworkReachabilityManager(host: "ff00::1")
        #expect(manager?.networkReachabilityStatus != .unknown)
    }

    @Test(.proves("10.3c")) func `a listener is called soon after it begins, and not again without a change`()
        async throws
    {
        let manager = try #require(NetworkReachabilityManager(host: "127.0.0.1"))
        let queue = DispatchQueue(label: "listener")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        manager.listenerQueue = queue
        let journal = Journal()
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                let waiting = Lock<CheckedContinuation<Void, Never>?>(continuation)
                manager.listener = { status in
                    #expect(DispatchQueue.getSpecific(key: key) == true)
                    journal.note("\(status == .reachable(.ethernetOrWiFi))")
                    waiting.withLock { $0.take() }?.resume()
                }
                #expect(manager.startListening())
            }
        }
        manager.stopListening()
        queue.sync {}
        #expect(journal.entries == ["true", "true", "true"])
    }

    @Test(.proves("10.3e")) func `a listener is not called once listening has stopped`() async throws {
        let manager = try #require(NetworkReachabilityManager(host: "127.0.0.1"))
        let queue = DispatchQueue(label: "listener")
        let journal = Journal()
        manager.listenerQueue = queue
        manager.listener = { _ in journal.note("told") }
        // A change found while listening waits for the queue. Another manager that begins later shows when that has
        // happened.
        queue.suspend()
        #expect(manager.startListening())
        let other = try #require(NetworkReachabilityManager(host: "127.0.0.1"))
        let (tellings, continuation) = AsyncStream.makeStream(of: Void.self)
        other.listener = { _ in continuation.yield() }
        #expect(other.startListening())
        for await _ in tellings { break }
        other.stopListening()
        manager.stopListening()
        queue.resume()
        queue.sync {}
        #expect(journal.entries == [])
    }

    @Test func `a manager that listens is released with its listener`() async {
        final class Marker: Sendable {}
        weak var marker: Marker?
        weak var held: NetworkReachabilityManager?
        do {
            let manager = NetworkReachabilityManager()
            let kept = Marker()
            (marker, held) = (kept, manager)
            await withCheckedContinuation { continuation in
                let waiting = Lock<CheckedContinuation<Void, Never>?>(continuation)
                manager?.listener = { _ in
                    withExtendedLifetime(kept) {}
                    waiting.withLock { $0.take() }?.resume()
                }
                manager?.startListening()
            }
        }
        let end = ContinuousClock.now + .seconds(10)
        while held != nil || marker != nil, .now < end { await Task.yield() }
        #expect(held == nil && marker == nil)
    }

    @Test(.proves("10.3b")) func `statuses are compared with their kind of link`() {
        typealias Status = NetworkReachabilityManager.NetworkReachabilityStatus
        let all: [Status] = [.unknown, .notReachable, .reachable(.ethernetOrWiFi), .reachable(.wwan)]
        for (index, one) in all.enumerated() {
            for (other, status) in all.enumerated() { #expect((one == status) == (index == other)) }
        }
    }
}
