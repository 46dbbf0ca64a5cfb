// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import TernEngine

@Suite struct TaskTableTests {
    private final class Member: TableMember {
        private let place = Lock<Int32>(-1)

        var tableIndex: Int32 {
            get { place.withLock { $0 } }
            set { place.withLock { $0 = newValue } }
        }
    }

    @Test func `members leave in any order, and none of the others is lost`() {
        let table = TaskTable<Member>()
        let members = (0..<5).map { _ in Member() }
        members.forEach { _ = table.add($0) }
        for index in [1, 4, 0] { table.remove(members[index]) }
        #expect(Set(table.all.map(ObjectIdentifier.init)) == Set([members[2], members[3]].map(ObjectIdentifier.init)))
        table.remove(members[1])
        table.remove(Member())
        #expect(table.all.count == 2)
    }

    @Test func `the end is told once, when the last task has ended`() {
        let table = TaskTable<Member>()
        let count = Lock(0)
        table.began()
        table.began()
        #expect(!table.isForOne)
        table.whenEmpty { count.withLock { $0 += 1 } }
        table.ended()
        #expect(count.withLock { $0 } == 0)
        table.ended()
        table.began()
        table.ended()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `without a task the end is at once`() {
        let count = Lock(0)
        TaskTable<Member>().whenEmpty { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1)
    }
}
