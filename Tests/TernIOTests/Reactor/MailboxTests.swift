// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct MailboxTests {
    @Test func `a burst costs one wake-up, and none while the reactor is busy`() throws {
        let mailbox = try Mailbox()
        for _ in 0..<100 { #expect(mailbox.send(.work {})) }
        #expect(mailbox.wakeUps == 0)
        mailbox.drain()
        #expect(mailbox.mayEnterSleep())
        for _ in 0..<100 { #expect(mailbox.send(.work {})) }
        #expect(mailbox.wakeUps == 1)
        mailbox.drain()
        for _ in 0..<100 { #expect(mailbox.send(.work {})) }
        #expect(mailbox.wakeUps == 1)
    }

    @Test func `a reactor with mail may not sleep`() throws {
        let mailbox = try Mailbox()
        #expect(mailbox.send(.work {}))
        #expect(!mailbox.mayEnterSleep())
        mailbox.drain()
        #expect(mailbox.mayEnterSleep())
    }

    @Test func `a sleep that timed out needs no wake-up`() throws {
        let mailbox = try Mailbox()
        #expect(mailbox.mayEnterSleep())
        mailbox.drain()
        #expect(mailbox.send(.work {}))
        #expect(mailbox.wakeUps == 0)
    }

    @Test func `stopping wakes a sleeper, and keeps it awake`() throws {
        let mailbox = try Mailbox()
        #expect(!mailbox.mayEnd())
        #expect(mailbox.mayEnterSleep())
        mailbox.stop()
        #expect(mailbox.wakeUps == 1)
        #expect(!mailbox.mayEnterSleep())
    }

    @Test func `what is sent before the end is collected before the end`() throws {
        let mailbox = try Mailbox()
        #expect(mailbox.send(.work {}))
        mailbox.stop()
        #expect(!mailbox.mayEnd())
        #expect(mailbox.send(.work {}))
        #expect(mailbox.drain() == 2)
        #expect(mailbox.mayEnd())
    }

    @Test func `nothing is taken after the end`() throws {
        let mailbox = try Mailbox()
        mailbox.stop()
        #expect(mailbox.mayEnd())
        #expect(!mailbox.send(.work {}))
        #expect(mailbox.drain() == 0)
        #expect(mailbox.mayEnd())
        #expect(!mailbox.mayEnterSleep())
    }

    @Test func `items come out in the order they went in`() throws {
        let mailbox = try Mailbox()
        let order = Journal<Int>()
        for number in 0..<10 { #expect(mailbox.send(.work { order.append(number) })) }
        mailbox.drain()
        #expect(order.entries == Array(0..<10))
    }
}

extension Mailbox {
    fileprivate var wakeUps: UInt64? { Census.count(ofEventDescriptor: wakeUp.rawValue) }

    @discardableResult
    fileprivate func drain() -> Int {
        var items = WorkQueue<Item>()
        collect(into: &items)
        let count = items.count
        while let item = items.popFirst() {
            if case .work(let work) = item { work() }
        }
        return count
    }
}
