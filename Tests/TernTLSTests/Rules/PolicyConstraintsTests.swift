// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct PolicyConstraintsTests {
    @Test(
        arguments: [
            ([0x30, 3, 0x80, 1, 0], 0), ([0x30, 3, 0x80, 1, 7], 7), ([0x30, 6, 0x80, 1, 2, 0x81, 1, 0], 2),
            ([0x30, 3, 0x81, 1, 0], nil), ([0x30, 4, 0x80, 2, 1, 0], 256), ([0x30, 5, 0x80, 3, 1, 0, 0], 65535),
        ] as [([UInt8], Int?)])
    func `the number is how many certificates may come before policies count`(encoding: [UInt8], number: Int?) throws {
        let constraints = try #require(PolicyConstraints(encoding))
        #expect(constraints.requireExplicitPolicy == number)
    }

    @Test(
        arguments: [
            [], [0x30, 0], [0x04, 0], [0x30, 2, 0x80, 0], [0x30, 3, 0x80, 1, 0xff], [0x30, 3, 0x82, 1, 0],
            [0x30, 6, 0x81, 1, 0, 0x80, 1, 0], [0x30, 6, 0x80, 1, 0, 0x80, 1, 0], [0x30, 4, 0x80, 1, 0, 0],
        ] as [[UInt8]])
    func `what is empty, below zero, twice, out of order or unknown is none`(encoding: [UInt8]) {
        #expect(PolicyConstraints(encoding) == nil)
    }
}
