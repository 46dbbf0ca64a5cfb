// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct RegistrationTokenTests {
    @Test func `a token survives the trip through epoll's 64 bits`() {
        for slot in [0, 1, 0x8000_0000, .max] as [UInt32] {
            for generation in [0, 1, 0x8000_0000, .max] as [UInt32] {
                let token = RegistrationToken(slot: slot, generation: generation)
                #expect(RegistrationToken(userData: token.userData) == token)
            }
        }
    }

    @Test func `slot and generation do not run into each other`() {
        let slot = RegistrationToken(slot: .max, generation: 0)
        let generation = RegistrationToken(slot: 0, generation: .max)
        #expect(slot.userData == 0x0000_0000_FFFF_FFFF)
        #expect(generation.userData == 0xFFFF_FFFF_0000_0000)
    }
}
