// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A source that answers each hop with a stored response.
private final class StoredResponses: ResponseSource, HopSource, CarrierSource {
    let response: HTTPURLResponse
    let content: [UInt8]
    let status: CacheStatus? = nil
    let additions: [HeaderField] = []

    init(response: HTTPURLResponse, content: [UInt8]) { (self.response, self.content) = (response, content) }

    func part(in hop: SourcedHop) -> (any HopSource)? { self }

    func answer() -> SourceAnswer { .answer(self) }

    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision { .pass }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery { .pass }

    func paused() {}

    func ended() {}

    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {
        StoredExchange(content, delegate, loop).start(response.head)
    }
}

/// Delivers 1,000 bytes in each event-loop tick. Belongs to its loop's thread, hence `@unchecked Sendable`.
private final class StoredExchange: Carrier, @unchecked Sendable {
    let loop: ReactorLoop
    let connectionMetrics: ConnectionMetrics? = nil
    let isReused = false
    var isPaused = false { didSet { deliverSoon() } }
    private var rest: ArraySlice<UInt8>
    private var delegate: (any ExchangeDelegate)?
    private var isScheduled = false

    init(_ content: [UInt8], _ delegate: any ExchangeDelegate, _ loop: ReactorLoop) {
        (self.loop, self.delegate, rest) = (loop, delegate, content[...])
    }

    func start(_ head: ResponseHead) {
        delegate?.exchangeBegan(on: self)
        var allowance = TickAllowance(among: 1)
        delegate?.received(.head(head), of: Span(), &allowance)
        deliverSoon()
    }

    private func deliverSoon() {
        if isScheduled || isPaused || delegate == nil { return }
        isScheduled = loop.execute {
            self.isScheduled = false
            self.deliver()
        }
    }

    private func deliver() {
        guard !isPaused, let delegate else { return }
        var allowance = TickAllowance(among: 1)
        if rest.isEmpty {
            delegate.received(.end(trailers: [:], discarded: [:]), of: Span(), &allowance)
            return end(nil)
        }
        let chunk = Array(rest.prefix(1000))
        let taken = delegate.received(.body(0..<chunk.count), of: chunk.span, &allowance)
        rest = rest.dropFirst(taken.count(of: chunk.count))
        deliverSoon()
    }

    private func end(_ reason: SessionError.Reason?) {
        delegate.take()?.exchangeEnded(reason, Evidence(isAnswered: true))
    }

    func end(_ reason: SessionError.Reason) { end(.some(reason)) }

    func leave() -> Evidence {
        delegate = nil
        return Evidence(isAnswered: true)
    }

    func leaveRest() -> Evidence { leave() }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) { self.delegate = delegate }
}

@Suite(.timeLimit(.minutes(1))) struct StoredResponseTests {
    private let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    private func session(_ fields: HeaderFields = [:], _ content: [UInt8]? = nil) throws -> Session {
        let stored = StoredResponses(
            response: try HTTPURLResponse(url: nil, statusCode: 200, headers: fields), content: content ?? self.content)
        return .limited(sources: [stored])
    }

    @Test func `a stored response is an answer, and no connection is opened`() async throws {
        let session = try session()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(string: "http://nowhere.test/"), delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.error == nil && record.body == content)
        #expect(task.metrics?.connection == nil && task.metrics?.hops.first?.statusCode == 200)
        let (data, _) = try await session.data(for: URLRequest(string: "http://nowhere.test/"))
        #expect(Array(data) == content)
    }

    @Test func `a stored response is decoded as any other`() async throws {
        let session = try session(["Content-Encoding": "gzip"], ZlibCoder.gzip(content))
        let (data, _) = try await session.data(for: URLRequest(string: "http://nowhere.test/"))
        #expect(Array(data) == content)
    }

    @Test func `a reader that is slow stops the carrier`() async throws {
        let session = try session()
        let delegate = RecordingDelegate { task, event in if event == .body(1000) { task.suspend() } }
        let task = session.dataTask(with: try URLRequest(string: "http://nowhere.test/"), delegate: delegate)
        task.resume()
        for count in 1...100 {
            await delegate.wait { $0.events.count == count + 1 }
            await session.settle()
            #expect(delegate.record.events.count == count + 1)
            task.resume()
        }
        #expect(await delegate.end().body == content)
    }

    @Test func `a cancelled task ends, and its carrier with it`() async throws {
        let session = try session()
        let delegate = RecordingDelegate { task, event in if event == .body(1000) { task.cancel() } }
        session.dataTask(with: try URLRequest(string: "http://nowhere.test/"), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error?.reason.kind == .cancelled && record.body.count == 1000)
        await session.settle()
        #expect(delegate.record.completions == 1 && delegate.record.body.count == 1000)
    }
}
