// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernSystem

@Suite struct DescriptorTests {
    @Test func `the end of a descriptor closes it`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let reader = Descriptor(owning: ends[0])
        #expect(countOfBytes(from: reader.rawValue) == -1)
        end(Descriptor(owning: ends[1]))
        // A pipe without a writer is at its end.
        #expect(countOfBytes(from: reader.rawValue) == 0)
    }

    @Test func `a descriptor that was never open does no harm`() {
        let descriptor = Descriptor(owning: -1)
        #expect(descriptor.rawValue == -1)
    }

    private func end(_ descriptor: consuming Descriptor) {}

    private func countOfBytes(from descriptor: Int32) -> Int {
        var byte: UInt8 = 0
        return unsafe read(descriptor, &byte, 1)
    }
}
