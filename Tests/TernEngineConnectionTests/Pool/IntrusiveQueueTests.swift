// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct IntrusiveQueueTests {
    private final class Member: IntrusiveQueueElement {
        let number: Int
        var queueIndex: Int32 = -1

        init(_ number: Int) { self.number = number }
    }

    @Test func `keeps the order of arrival, wherever members enter and leave`() {
        var line = IntrusiveQueue<Member>()
        var model: [Member] = []
        var generator = SeededGenerator(seed: 1)
        for number in 0..<20_000 {
            let other = model.randomElement(using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<4:
                let member = Member(number)
                line.append(member)
                model.append(member)
            case 4:
                guard let other else { continue }
                let member = Member(number)
                line.insert(member, before: other)
                model.insert(member, at: model.firstIndex { $0 === other } ?? 0)
            case 5..<7: #expect(line.popFirst() === (model.isEmpty ? nil : model.removeFirst()))
            case 7..<9: #expect(line.popLast() === model.popLast())
            default:
                guard let other else { continue }
                #expect(line.contains(other) == true)
                line.remove(other)
                line.remove(other)
                #expect(line.contains(other) == false)
                model.removeAll { $0 === other }
            }
            #expect(line.count == model.count)
            #expect(line.isEmpty == model.isEmpty)
            #expect(line.first === model.first)
            #expect(line.last === model.last)
        }
        #expect(numbers(in: line) == model.map(\.number))
        if let last = model.last { #expect(line.member(before: last) === model.dropLast().last) }
    }

    @Test func `releases members that leave`() {
        var line = IntrusiveQueue<Member>()
        weak var first: Member?
        do {
            let member = Member(1)
            first = member
            line.append(member)
            line.append(Member(2))
        }
        #expect(first != nil)
        _ = line.popFirst()
        #expect(first == nil)
        #expect(line.count == 1)
    }

    @Test func `gives back what a burst has made of it, and knows those who are left`() {
        var line = IntrusiveQueue<Member>()
        let members = (0..<100_000).map(Member.init)
        for member in members { line.append(member) }
        for member in members.dropFirst(10).dropLast(10).shuffled() { line.remove(member) }
        #expect(line.count == 20)
        #expect(line.capacity <= 1024)
        #expect(numbers(in: line) == Array(0..<10) + Array(99_990..<100_000))
        for member in members.dropLast(10) { line.remove(member) }
        #expect(numbers(in: line) == Array(99_990..<100_000))
    }

    @Test func `knows no member whose place is in another queue`() {
        var line = IntrusiveQueue<Member>()
        var other = IntrusiveQueue<Member>()
        let (member, stranger) = (Member(1), Member(2))
        line.append(member)
        other.append(stranger)
        #expect(line.contains(stranger) == false)
        line.remove(stranger)
        #expect(numbers(in: line) == [1])
    }

    private func numbers(in line: borrowing IntrusiveQueue<Member>) -> [Int] {
        var numbers: [Int] = []
        var next = line.first
        while let member = next {
            numbers.append(member.number)
            next = line.member(after: member)
        }
        return numbers
    }
}
