// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite(.serialized) struct Notices {
    @Test(.proves("10.2a")) func `tasks report their events`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("")] }
        let manager = SessionManager(configuration: .default)
        let seen = AsyncStream.makeStream(of: String.self)
        let center = NotificationCenter.default
        var tokens: [NSObjectProtocol] = []
        for (name, word) in [(Notification.Name.Task.DidResume, "resume"), (.Task.DidComplete, "complete")] {
            tokens.append(
                center.addObserver(forName: name, object: nil, queue: nil) { notification in
                    guard let task = notification.userInfo?[Notification.Key.Task] as? URLSessionTask else {
                        return
                    }
                    if task.originalRequest?.url?.port == Int(origin.port) { seen.continuation.yield(word) }
                })
        }
        defer { tokens.forEach(center.removeObserver) }
        manager.request(origin.url()).response { _ in }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        var words: [String] = []
        for await word in seen.stream {
            words.append(word)
            if words.count == 2 { break }
        }
        #expect(words == ["resume", "complete"])
    }
}
