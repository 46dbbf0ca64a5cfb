// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct SessionShardTests {
    private static func shard(on group: ReactorGroup) throws -> SessionShard {
        let configuration = SessionConfiguration()
        return SessionShard(
            loop: try #require(group.reactors.first).loop, configuration: configuration, connectionLimit: 1,
            trust: TrustSettings(tls: configuration.tls, policies: nil), resolver: Resolver())
    }

    private static func request(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test(arguments: [false, true])
    func `is let go of when it closes at the end of a task that had no connection`(isCancelled: Bool) async throws {
        let group = try ReactorGroup(count: 1)
        let hole = try BlackHole()
        weak var released: SessionShard?
        do {
            let shard = try Self.shard(on: group)
            released = shard
            let delegate = RecordingDelegate { [weak shard] _, event in if case .end = event { shard?.close() } }
            let task = DataTask(
                request: try Self.request(isCancelled ? hole.url : "http://127.0.0.1:1/"), delegate: delegate,
                timeouts: Timeouts(), shard: shard, failure: .sessionInvalidated)
            task.resume()
            if isCancelled { task.cancel() }
            _ = await delegate.end()
        }
        // What the loop was doing then is done.
        await Task(executorPreference: group.reactors.first) {}.value
        #expect(released == nil)
    }
}
