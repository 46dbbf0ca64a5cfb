// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.serialized, .timeLimit(.minutes(5))) struct SingleUseSourceTests {
    private static let letGo = ProbingSource.Record(asks: 0, finishes: 1)

    private static func request(_ origin: ScriptedOrigin, _ source: ProbingSource) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = .once(source)
        return request
    }

    @Test func `one exchange gets it, and finishes it`() {
        let source = ProbingSource([])
        do {
            let once = SingleUseSource(source)
            #expect(once.begin() != nil)
            #expect(once.begin() == nil)
            once.discard()
        }
        #expect(source.record.finishes == 0)
    }

    @Test func `one that is not asked is released, with its last reference or before`() {
        for isForgone in [false, true] {
            let source = ProbingSource([])
            do {
                let once = SingleUseSource(source)
                if isForgone {
                    once.discard()
                    #expect(source.record == Self.letGo)
                    #expect(once.begin() == nil)
                }
            }
            #expect(source.record == Self.letGo)
        }
    }

    @Test func `copies of a request share it, until their content is another`() throws {
        let source = ProbingSource([])
        var request = URLRequest(url: try #require(URL(string: "http://example.com/")))
        request.body = .once(source)
        var copy = request
        copy.setValue("1", forHTTPHeaderField: "X")
        #expect(copy.onceSource === request.onceSource)
        copy.httpBody = nil
        #expect(copy.onceSource == nil)
        #expect(source.record.finishes == 0)
        request.httpBody = Data()
        #expect(source.record == Self.letGo)
    }

    enum Fate: CaseIterable, Sendable {
        case neverStarted, cancelledBefore, invalid, unreachable, queueFull, cancelledInLine
    }

    @Test(arguments: Fate.allCases) func `a task that never sends it releases it`(fate: Fate) async throws {
        let origin = try ScriptedOrigin { _, _ in [.awaitClose] }
        let source = ProbingSource([])
        var request = try Self.request(origin, source)
        let session = Session.limited { $0.maximumQueuedRequestsPerHost = fate == .queueFull ? 0 : 10 }
        let delegate = RecordingDelegate()
        switch fate {
        case .invalid: request.httpMethod = "PU T"
        case .unreachable: origin.stop()
        case .queueFull, .cancelledInLine:
            session.dataTask(with: try URLRequest(origin), delegate: RecordingDelegate()).resume()
            #expect(await origin.waitFor { $0.headCount == 1 })
        case .neverStarted, .cancelledBefore: break
        }
        if fate == .neverStarted {
            do { _ = session.dataTask(with: request, delegate: delegate) }
            #expect(source.record.finishes == 0)
            request.body = nil
            #expect(source.record == Self.letGo)
            return
        }
        let task = session.dataTask(with: request, delegate: delegate)
        if fate != .cancelledBefore { task.resume() }
        await session.settle()
        if fate == .cancelledBefore || fate == .cancelledInLine { task.cancel() }
        #expect(await delegate.end().error != nil)
        #expect(source.record == Self.letGo)
    }

    @Test func `two tasks with one request: one of them sends it, the other says why not`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let session = Session.limited(to: 2)
        let source = ProbingSource([Data(repeating: 1, count: 1000)])
        let request = try Self.request(origin, source)
        let delegates = [RecordingDelegate(), RecordingDelegate()]
        for delegate in delegates { session.dataTask(with: request, delegate: delegate).resume() }
        var errors: [SessionError?] = []
        for delegate in delegates { errors.append(await delegate.end().error) }
        #expect(errors.count { $0 == nil } == 1)
        guard case .request(.body(.alreadyUsed)) = errors.compactMap({ $0 }).first?.reason else {
            Issue.record("\(errors)")
            return
        }
        #expect(source.record == ProbingSource.Record(asks: 2, finishes: 1))
        #expect(origin.observations.requestCount == 1)
        #expect(await session.failure(of: request) != nil)
    }
}
