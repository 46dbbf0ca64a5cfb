// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

struct OutgoingRequestTests {
    @Test func `there is something to send once it has begun, until it is dropped`() throws {
        var dialogue = OutgoingDialogue()
        let atFirst = dialogue.outgoing.isSent
        try dialogue.begin(.none)
        let begun = dialogue.outgoing.isSent
        dialogue.drop()
        let dropped = dialogue.outgoing.isSent
        #expect((atFirst, begun, dropped) == (true, false, true))
    }

    @Test(arguments: [10, 20_000, 1_000_000]) func `a body belongs to it, however it travels`(size: Int) throws {
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.data(Data(count: size)))
        let begun = dialogue.outgoing.isSent
        dialogue.drop()
        let dropped = dialogue.outgoing.isSent
        #expect((begun, dropped) == (false, true))
    }

    @Test func `what cannot be encoded leaves nothing to send`() throws {
        for content in [nil, RequestBody.data(Data(count: 20_000)), .stream(length: -1) { ProbingSource([]) }] {
            var dialogue = OutgoingDialogue()
            #expect(throws: InvalidRequest.self) {
                try dialogue.begin(content) { if content?.announcedLength != -1 { $0.httpMethod = "GE T" } }
            }
            let waitReason = try dialogue.send()
            #expect(waitReason == .none)
            #expect(dialogue.taken.isEmpty)
        }
    }

    @Test func `a head is all of a request without content`() throws {
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.none)
        let before = dialogue.outgoing.waitReason
        let after = try dialogue.send()
        #expect((before, after) == (.writability, .none))
        #expect(dialogue.text.hasPrefix("PUT / HTTP/1.1\r\nHost: example.com\r\n"))
        #expect(dialogue.text.hasSuffix("\r\n\r\n"))
        let (isSent, hasContent, length) = dialogue.facts
        #expect((isSent, hasContent, length) == (true, false, nil))
        #expect(dialogue.offers == 1)
    }

    @Test(arguments: [(1, 1), (16 * 1024, 1), (16 * 1024 + 1, 2), (1_000_000, 2)])
    func `a small body is sent together with the head, a large one uncopied after it`(size: Int, offers: Int) throws {
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.data(body))
        let waitReason = try dialogue.send()
        #expect(waitReason == .none)
        #expect(Data(dialogue.content) == body)
        #expect(dialogue.offers == offers)
        let (isSent, hasContent, length) = dialogue.facts
        #expect((isSent, hasContent, length) == (true, true, Int64(size)))
        let handedOver = dialogue.outgoing.contentHandedOver
        #expect(handedOver == Int64(size))
    }

    enum Word: CaseIterable, Sendable { case advance, final, timePassed, timePassedBefore }

    @Test(arguments: Word.allCases) func `content that waits for the server's word goes with it, or with time`(
        word: Word
    )
        throws
    {
        let file = try TestFile(Data("piece".utf8))
        for kind in 0..<4 {
            let source = ProbingSource([Data("piece".utf8)])
            let content: RequestBody =
                switch kind {
                case 0: .data(Data("piece".utf8))
                case 1: .file(path: file.path)
                case 2: .stream(length: 5) { source }
                default: .once(source, length: 5)
                }
            var dialogue = OutgoingDialogue()
            try dialogue.begin(content) { $0.setValue("100-continue", forHTTPHeaderField: "Expect") }
            if word == .timePassedBefore {
                dialogue.outlet.room = 10
                _ = try dialogue.send()
                dialogue.outgoing.stopAwaitingPermission()
                dialogue.outlet.room = .max
            } else {
                for _ in 0..<2 {
                    let waitReason = try dialogue.send()
                    #expect(waitReason == .permission)
                }
                #expect(dialogue.text.hasSuffix("\r\n\r\n"))
                #expect(source.record.asks == 0)
            }
            switch word {
            case .advance: try dialogue.hear("HTTP/1.1 100 Continue\r\n\r\n")
            case .final:
                try dialogue.hear("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")
                dialogue.drop()
            case .timePassed: dialogue.outgoing.stopAwaitingPermission()
            case .timePassedBefore: break
            }
            let waitReason = try dialogue.send()
            let isSent = dialogue.outgoing.isSent
            #expect((waitReason, isSent) == (.none, true))
            #expect(String(decoding: dialogue.content, as: UTF8.self) == (word == .final ? "" : "piece"))
            #expect(source.record.asks == (word == .final || kind < 2 ? 0 : 2))
            #expect(file.openCount == 0)
        }
    }

    @Test(arguments: [false, true]) func `a file that shrinks is an error, one that grows sends what was announced`(
        isSecure: Bool
    ) throws {
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        for (cut, size, told) in [
            (0, 199_999, "it ended 1 bytes before its announced length"), (1000, 0, "before its announced length"),
            (200_000, 0, nil), (1000, 300_000, nil),
        ] as [(Int, Int, String?)] {
            let file = try TestFile(body)
            var whole = OutgoingDialogue()
            try whole.begin(.file(path: file.path))
            _ = try whole.send()
            var dialogue = OutgoingDialogue()
            try dialogue.begin(.file(path: file.path))
            dialogue.outlet.isSecure = isSecure
            dialogue.outlet.room = whole.headCount + cut
            let before = try dialogue.send()
            #expect(before == (cut == 200_000 ? .none : .writability))
            file.resize(to: size)
            dialogue.outlet.room = .max
            if let told {
                #expect(dialogue.failure()?.hasSuffix(told) == true)
                dialogue.drop()
            } else {
                let after = try dialogue.send()
                #expect(after == .none)
            }
            // What is to be sealed was read when its beginning left.
            let read = isSecure && cut > 0 ? OutgoingRequest.pieceSize : cut
            #expect(Data(dialogue.content) == (told == nil ? body : body.prefix(max(size, read))))
            #expect(file.openCount == 0)
        }
    }

    /// Every form of content, created again for each request.
    private static func contents(_ file: TestFile) -> [@Sendable () -> RequestBody?] {
        let pieces = [Data("a piece".utf8), Data(), Data(repeating: 7, count: 40)]
        let path = file.path
        return [
            { nil }, { .data(Data()) }, { .data(Data("small".utf8)) }, { .file(path: path) },
            { .once(ProbingSource(pieces, then: .end(trailers: ["X-Sum": "5"]))) },
            { .once(ProbingSource(pieces), length: 47) }, { .stream { ProbingSource(pieces) } },
        ]
    }

    @Test(arguments: [false, true]) func `a peer that takes little at a time gets the same bytes`(isSecure: Bool)
        throws
    {
        let file = try TestFile(Data("content of a file".utf8))
        for content in Self.contents(file) {
            var whole = OutgoingDialogue()
            try whole.begin(content())
            whole.outlet.isSecure = isSecure
            _ = try whole.send()
            for atOnce in [1, 2, 3, 7] {
                var dialogue = OutgoingDialogue()
                try dialogue.begin(content())
                dialogue.outlet.isSecure = isSecure
                dialogue.outlet.atOnce = atOnce
                let waitReason = try dialogue.send()
                #expect(waitReason == .none)
                #expect(dialogue.taken == whole.taken)
            }
        }
    }

    @Test(arguments: [false, true]) func `nor does it matter where the kernel takes no more`(isSecure: Bool) throws {
        let file = try TestFile(Data("content of a file".utf8))
        for content in Self.contents(file) {
            var whole = OutgoingDialogue()
            try whole.begin(content())
            _ = try whole.send()
            for count in whole.taken.indices {
                var dialogue = OutgoingDialogue()
                try dialogue.begin(content())
                dialogue.outlet.isSecure = isSecure
                dialogue.outlet.room = count
                for _ in 0..<2 {
                    let waitReason = try dialogue.send()
                    #expect(waitReason == .writability)
                    #expect(dialogue.taken.count == count)
                }
                let handedOver = dialogue.outgoing.contentHandedOver
                #expect(handedOver <= max(0, count - whole.headCount))
                dialogue.outlet.room = .max
                let waitReason = try dialogue.send()
                #expect(waitReason == .none)
                #expect(dialogue.taken == whole.taken)
            }
        }
    }

    @Test func `a large body does not mind, either`() throws {
        let body = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        let file = try TestFile(body)
        for content in [.data(body), .file(path: file.path), RequestBody.stream { ProbingSource([body]) }] {
            var whole = OutgoingDialogue()
            try whole.begin(content)
            _ = try whole.send()
            var dialogue = OutgoingDialogue()
            try dialogue.begin(content)
            var (told, waitReason) = (Int64(0), OutgoingRequest.WaitReason.writability)
            while waitReason == .writability {
                dialogue.outlet.room = 997
                waitReason = try dialogue.send()
                let handedOver = dialogue.outgoing.contentHandedOver
                #expect(handedOver >= told)
                told = handedOver
            }
            #expect((waitReason, told) == (.none, 70_000))
            #expect(dialogue.taken == whole.taken)
        }
    }

    @Test func `the next request has nothing of the one before`() throws {
        let source = ProbingSource([Data(repeating: 1, count: 100_000)])
        var dialogue = OutgoingDialogue()
        try dialogue.begin(.once(source))
        dialogue.outlet.room = 1000
        _ = try dialogue.send()
        dialogue.drop()
        dialogue.outlet = MeteredByteSink()
        dialogue.exchange = Exchange()
        try dialogue.begin(.none)
        _ = try dialogue.send()
        #expect(dialogue.content.isEmpty)
        let (isSent, hasContent, length) = dialogue.facts
        #expect((isSent, hasContent, length) == (true, false, nil))
        let (handedOver, isPulled) = (dialogue.outgoing.contentHandedOver, dialogue.outgoing.isPulled)
        #expect((handedOver, isPulled) == (0, false))
    }

    @Test(arguments: [200, 100_000])
    func `content is released by the caller that drops it, however far it has been sent`(taken: Int) throws {
        weak var source: ProbingSource?
        var dialogue = OutgoingDialogue()
        do {
            let mine = ProbingSource([Data(repeating: 1, count: 1000)])
            source = mine
            // Asked for a source, and not holding one: only the request has it.
            let once = OnceBox(mine)
            try dialogue.begin(.stream { once.take() })
        }
        dialogue.outlet.room = taken
        _ = try dialogue.send()
        #expect(source?.record.finishes == (taken > 200 ? 1 : 0))
        let dropped = dialogue.outgoing.drop()
        #expect(source != nil)
        dropped.finish()
        #expect(source?.record.finishes == 1)
        withExtendedLifetime(dropped) {}
    }
}

/// Holds a source until it is taken.
private final class OnceBox: Sendable {
    private let source: Lock<ProbingSource?>

    init(_ source: ProbingSource) { self.source = Lock(source) }

    func take() -> ProbingSource { source.withLock { $0.take() } ?? ProbingSource([]) }
}
