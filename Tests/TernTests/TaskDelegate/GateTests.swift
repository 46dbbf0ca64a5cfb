// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

@testable import Tern

@Suite struct GateTests {
    @Test(.proves("5.1a", "12.3a")) func `no waiter comes in before the gate is open`() {
        var gate = Gate<Int>()
        #expect(gate.admit(1) == nil)
        #expect(gate.next() == nil)
        #expect(gate.current == nil)
    }

    @Test func `those who wait come in one at a time, first come, first served`() {
        var gate = Gate<Int>()
        for waiter in 1...3 { _ = gate.admit(waiter) }
        #expect(gate.open() == 1)
        #expect(gate.current == 1)
        #expect(gate.next() == 2)
        #expect(gate.next() == 3)
        #expect(gate.next() == nil)
        #expect(gate.current == nil)
    }

    @Test func `who comes late comes in at once`() {
        var gate = Gate<Int>()
        #expect(gate.open() == nil)
        #expect(gate.admit(1) == 1)
    }

    @Test func `a waiter that comes while another is in waits behind those that wait already`() {
        var gate = Gate<Int>()
        _ = gate.admit(1)
        _ = gate.admit(2)
        _ = gate.open()
        #expect(gate.admit(3) == nil)
        #expect(gate.next() == 2)
        #expect(gate.admit(4) == nil)
        #expect(gate.next() == 3)
        #expect(gate.next() == 4)
    }

    @Test func `opening an open gate lets no waiter in`() {
        var gate = Gate<Int>()
        _ = gate.admit(1)
        _ = gate.admit(2)
        #expect(gate.open() == 1)
        #expect(gate.open() == nil)
        #expect(gate.current == 1)
    }
}
