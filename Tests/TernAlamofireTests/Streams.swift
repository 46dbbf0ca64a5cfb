// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Streams {
    @Test(.proves("2.16a")) func `a stream to a host and port, as Alamofire's own tests have it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer"), .close] }
        let manager = Alamofire.SessionManager(configuration: .default)
        let closed = AsyncStream<String>.makeStream()
        manager.delegate.streamTaskReadClosed = { (session: URLSession, streamTask: URLSessionStreamTask) in
            closed.continuation.yield("read")
        }
        manager.delegate.streamTaskWriteClosed = { session, streamTask in closed.continuation.yield("write") }
        let request: StreamRequest = manager.stream(withHostName: "127.0.0.1", port: Int(origin.port))
        let streamTask = request.task as! URLSessionStreamTask

        let text: String = await withCheckedContinuation { continuation in
            streamTask.write(Data("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), timeout: 10) { error in
                if let error { print(error) }
            }
            streamTask.readData(ofMinLength: 1000, maxLength: 1000, timeout: 10) { data, atEOF, error in
                continuation.resume(returning: String(data: data ?? Data(), encoding: .utf8)! + (atEOF ? "." : ""))
            }
        }
        #expect(text.hasSuffix("answer."))
        streamTask.closeWrite()
        var words: [String] = []
        for await word in closed.stream {
            words.append(word)
            if words.count == 2 { break }
        }
        #expect(words == ["read", "write"])
    }

    @Test(.proves("2.1c")) func `through the default manager, cancelled`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.awaitClose] }
        let request = Alamofire.stream(withHostName: "127.0.0.1", port: Int(origin.port))
        #expect(await origin.waitFor { $0.connectionCount == 1 })
        request.cancel()
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
