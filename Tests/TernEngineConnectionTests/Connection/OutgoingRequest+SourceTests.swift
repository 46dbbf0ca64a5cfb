// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What sources say, and what becomes of it.
@Suite struct OutgoingRequestSourceTests {
    private static let oddSizes = [1, 0, 7, 65_536, 65_537, 0, 200_000, 3]

    @Test func `data of odd sizes is sent as it comes, each in its own chunk`() throws {
        let pieces = Self.oddSizes.map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
        let source = ProbingSource(pieces)
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.once(source))
        _ = try dialogue.send()
        let chunks = pieces.filter { !$0.isEmpty }.map {
            Data("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10]
        }
        #expect(Data(dialogue.content) == chunks.reduce(Data(), +) + Data("0\r\n\r\n".utf8))
        #expect(source.record == ProbingSource.Record(asks: pieces.count + 1, finishes: 1))
    }

    @Test func `and without a frame where their length was announced`() throws {
        let pieces = Self.oddSizes.map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
        let whole = pieces.reduce(Data(), +)
        for end in [BodyPiece.end(), .later] {
            let source = ProbingSource(pieces, then: end)
            var dialogue = OutgoingDialogue()
            try dialogue.begin(.once(source, length: whole.count))
            let waitReason = try dialogue.send()
            #expect(waitReason == .none)
            #expect(Data(dialogue.content) == whole)
            #expect(source.record == ProbingSource.Record(asks: pieces.count + 1, finishes: 1))
        }
    }

    @Test func `with an announced length of zero, one byte is too much`() throws {
        for (pieces, isWhole) in [([], true), ([Data()], true), ([Data([1])], false)] {
            let source = ProbingSource(pieces)
            var dialogue = OutgoingDialogue()
            try dialogue.begin(.once(source, length: 0))
            if isWhole {
                let waitReason = try dialogue.send()
                #expect(waitReason == .none)
            } else {
                let told = dialogue.failure()
                #expect(told == "it is 1 bytes longer than announced")
                dialogue.drop()
            }
            #expect(dialogue.content.isEmpty)
            #expect(source.record == ProbingSource.Record(asks: pieces.count + (isWhole ? 1 : 0), finishes: 1))
        }
    }

    @Test(arguments: 0...3) func `a source may fail at any step, and the request is not whole then`(step: Int) throws {
        let pieces = Array(repeating: Data("piece".utf8), count: step)
        let flaws: [(length: Int?, BodyPiece, told: String)] = [
            (nil, .failed(SourceFailure()), "its source failed: SourceFailure()"),
            (100, .failed(SourceFailure()), "its source failed: SourceFailure()"),
            (5 * step + 2, .end(), "it ended 2 bytes before its announced length"),
            (5 * step + 2, .bytes(Data("piece".utf8)), "it is 3 bytes longer than announced"),
            (nil, .end(trailers: ["Content-Length": "5"]), "the field is not allowed as a trailer"),
            (5 * step, .end(trailers: ["X-Sum": "5"]), "there are trailers, and the content is not chunked"),
        ]
        for (length, flaw, told) in flaws {
            let source = ProbingSource(pieces, then: flaw)
            var dialogue = OutgoingDialogue()
            try dialogue.begin(.once(source, length: length))
            #expect(dialogue.failure()?.contains(told) == true)
            #expect(source.record == ProbingSource.Record(asks: step + 1, finishes: 0))
            dialogue.drop()
            let waitReason = try dialogue.send()
            #expect(waitReason == .none)
            #expect(source.record == ProbingSource.Record(asks: step + 1, finishes: 1))
            let sent = length == nil ? "5\r\npiece\r\n" : "piece"
            #expect(String(decoding: dialogue.content, as: UTF8.self) == String(repeating: sent, count: step))
            let handedOver = dialogue.outgoing.contentHandedOver
            #expect(handedOver == Int64(5 * step))
        }
    }

    @Test func `nor is it where a source cannot be made, or was used before`() throws {
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.stream { throw SourceFailure() })
        #expect(dialogue.failure() == "its source failed: SourceFailure()")
        dialogue.drop()
        #expect(dialogue.content.isEmpty)

        let source = ProbingSource([])
        var request = try OutgoingDialogue.request(.once(source))
        request.setValue("again", forHTTPHeaderField: "X")
        var first = OutgoingDialogue()
        var second = OutgoingDialogue()
        try first.begin(request)
        try second.begin(request)
        _ = try first.send()
        #expect(second.failure() == "its source can be read only once, and has been read")
        second.drop()
        #expect(source.record == ProbingSource.Record(asks: 1, finishes: 1))
    }

    @Test(arguments: [nil, 10]) func `a source that stalls is asked no more before it wakes`(length: Int?) throws {
        let source = ProbingSource { ask, _ in
            switch ask {
            case 0, 3: .bytes(Data("piece".utf8))
            case 4: .end()
            default: .later
            }
        }
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.once(source, length: length))
        for asks in [2, 3] {
            let waitReason = try dialogue.send()
            #expect(waitReason == .source)
            let offers = dialogue.offers
            // As when a peer asks for new keys, or takes what was sealed.
            for _ in 0..<100 {
                let waitReason = try dialogue.send()
                #expect(waitReason == .source)
            }
            #expect(source.record == ProbingSource.Record(asks: asks, finishes: 0))
            #expect(dialogue.offers == offers)
            dialogue.outgoing.sourceHasMore()
        }
        let waitReason = try dialogue.send()
        #expect(waitReason == .none)
        #expect(
            String(decoding: dialogue.content, as: UTF8.self)
                == (length == nil ? "5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n" : "piecepiece"))
        #expect(source.record == ProbingSource.Record(asks: 5, finishes: 1))
    }

    @Test func `trailers follow the last chunk`() throws {
        var dialogue = OutgoingDialogue()
        let trailers: HeaderFields = ["X-Sum": "5", "X-Sum": "6"]
        try dialogue.begin(.once(ProbingSource([Data("piece".utf8)], then: .end(trailers: trailers))))
        _ = try dialogue.send()
        #expect(
            String(decoding: dialogue.content, as: UTF8.self)
                == "5\r\npiece\r\n0\r\nX-Sum: 5\r\nX-Sum: 6\r\n\r\n")
    }

    @Test func `a source is released once, wherever its request is cancelled`() throws {
        let pieces = [Data("a piece".utf8), Data("another".utf8)]
        for count in 0..<300 {
            let source = ProbingSource(pieces)
            do {
                var dialogue = OutgoingDialogue()
                try dialogue.begin(.once(source))
                dialogue.outlet.room = count
                _ = try dialogue.send()
                dialogue.drop()
                dialogue.drop()
                dialogue.outlet.room = .max
                let waitReason = try dialogue.send()
                let isSent = dialogue.outgoing.isSent
                #expect((waitReason, isSent) == (.none, true))
                #expect(dialogue.taken.count <= count)
            }
            #expect(source.record.finishes == 1)
            #expect(!source.record.isMisused)
        }
    }

    @Test func `also while it is being made or asked`() throws {
        let answers: [BodyPiece] = [.bytes(Data("late".utf8)), .later, .end(), .failed(SourceFailure())]
        for (answer, isMade) in answers.flatMap({ [($0, false), ($0, true)] }) {
            let source = ProbingSource([], then: answer)
            var dialogue = OutgoingDialogue()
            try dialogue.begin(.stream { source })
            dialogue.dropsBeforeTaking = isMade ? .made : .asked
            let waitReason = try dialogue.send()
            #expect(waitReason == .none)
            #expect(dialogue.content.isEmpty)
            #expect(source.record == ProbingSource.Record(asks: isMade ? 0 : 1, finishes: 1))
        }
    }

    @Test func `a request that has used its tick waits for the next, and no source is asked meanwhile`() throws {
        let source = ProbingSource { ask, _ in ask < 100 ? .bytes(Data(repeating: 1, count: 65_536)) : .end() }
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.once(source))
        var turns = 0
        while try dialogue.send(turns: 1) == .writability { turns += 1 }
        // A tick is four such chunks.
        #expect(turns == 100 * 65_536 / TickAllowance.maximum)
        #expect(source.record == ProbingSource.Record(asks: 101, finishes: 1))
    }
}
