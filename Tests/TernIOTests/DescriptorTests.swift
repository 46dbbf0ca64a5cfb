// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct DescriptorTests {
    @Test func `the end of a descriptor closes it, once`() throws {
        let identity = try openAndEnd()
        #expect(!Census.isOpen(identity))
    }

    @Test func `a descriptor that was never open does no harm`() {
        let descriptor = Descriptor(owning: -1)
        #expect(descriptor.rawValue == -1)
    }
}

private func openAndEnd() throws -> String {
    let descriptor = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    let identity = try #require(Census.identity(of: descriptor.rawValue))
    #expect(Census.isOpen(identity))
    return identity
}
