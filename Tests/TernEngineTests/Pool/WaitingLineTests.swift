// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct WaitingLineTests {
    @Test func `serves in order of arrival, whatever leaves in between`() {
        var line = WaitingLine<Int>()
        var model: [Int] = []
        var generator = SeededGenerator(seed: 1)
        for number in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                line.append(number)
                model.append(number)
            case 5..<8: #expect(line.removeFirst() == (model.isEmpty ? nil : model.removeFirst()))
            default:
                let target = model.randomElement(using: &generator) ?? -1
                #expect(line.removeFirst { $0 == target } == model.first { $0 == target })
                model.removeAll { $0 == target }
            }
            #expect(line.count == model.count)
            #expect(line.isEmpty == model.isEmpty)
            #expect(line.first == model.first)
            #expect(line[model.count / 2] == (model.isEmpty ? nil : model[model.count / 2]))
            #expect(line[model.count] == nil)
        }
        #expect(line.removeAll() == model)
        #expect(line.isEmpty == true)
    }

    @Test func `lets go of those it has served`() {
        final class Token {}
        var line = WaitingLine<Token>()
        weak var first: Token?
        do {
            let token = Token()
            first = token
            line.append(token)
            line.append(Token())
        }
        #expect(first != nil)
        _ = line.removeFirst()
        #expect(first == nil)
        #expect(line.count == 1)
    }
}
