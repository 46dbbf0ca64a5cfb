// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TernURLSession
import TestProofs
import Testing

/// A streamed upload without a stream, as FoundationNetworking sends it: the delegate is asked before anything is sent.
@Suite struct StreamedUploadTests {
    private final class Streams: NSObject, URLSessionDataDelegate {
        let texts: [String]
        // Read by one request at a time.
        nonisolated(unsafe) let only: InputStream?
        let count = Mutex(0)
        let (ends, end) = AsyncStream<URLError?>.makeStream()

        init(_ texts: [String], isSame: Bool = false) {
            self.texts = texts
            unsafe only = isSame ? InputStream(data: Data(texts[0].utf8)) : nil
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let own = number > texts.count ? nil : InputStream(data: Data(texts[number - 1].utf8))
            completionHandler(unsafe only ?? own)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            end.yield(error as? URLError)
        }
    }

    private func send(_ path: String, _ delegate: Streams, on origin: ScriptedOrigin) async throws -> URLError? {
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: try #require(URL(string: origin.url(path))))
        request.httpMethod = "POST"
        let task = session.uploadTask(withStreamedRequest: request)
        #expect(task.originalRequest?.httpBody == nil && task.originalRequest?.httpBodyStream == nil)
        task.resume()
        for await error in delegate.ends { return error }
        return nil
    }

    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/moved" ? [.respond(status: 307, fields: [("Location", "/there")])] : [.ok()]
        }
    }

    @Test func `the delegate is asked for a stream`() async throws {
        let (origin, delegate) = (try origin(), Streams(["hello"]))
        #expect(try await send("/", delegate, on: origin) == nil)
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST" && String(decoding: request.body, as: UTF8.self) == "hello")
        #expect(request.value(of: "Transfer-Encoding") == "chunked" && delegate.count.withLock { $0 } == 1)
    }

    @Test(.proves("14.5a"), arguments: ["5", "4", "6"])
    func `a Content-Length of the request is the length of its stream, and of the delegate's`(
        length: String
    ) async throws {
        for streams in [[], ["hello"]] {
            let (origin, delegate) = (try origin(), Streams(streams))
            let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            var request = URLRequest(url: try #require(URL(string: origin.url())))
            request.httpMethod = "PUT"
            if streams.isEmpty { request.httpBodyStream = InputStream(data: Data("hello".utf8)) }
            request.setValue(length, forHTTPHeaderField: "Content-Length")
            let task = session.uploadTask(withStreamedRequest: request)
            #expect(task.countOfBytesExpectedToSend == Int64(length))
            task.resume()
            for await error in delegate.ends {
                #expect(error?.code == (length == "5" ? nil : .requestBodyStreamExhausted))
                break
            }
            guard length == "5" else { continue }
            #expect(origin.requests.first?.body == Array("hello".utf8))
            #expect(origin.requests.first?.value(of: "Content-Length") == "5")
        }
    }

    @Test func `without a stream the body is empty`() async throws {
        let (origin, delegate) = (try origin(), Streams([]))
        #expect(try await send("/", delegate, on: origin) == nil)
        #expect(origin.requests.first?.body.isEmpty == true && delegate.count.withLock { $0 } == 1)
    }

    @Test func `a redirect has the delegate asked again`() async throws {
        let (origin, delegate) = (try origin(), Streams(["one", "two"]))
        #expect(try await send("/moved", delegate, on: origin) == nil)
        #expect(origin.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "two"])
    }

    @Test(.proves("14.1b")) func `the stream that was sent before fails the request`() async throws {
        let (origin, delegate) = (try origin(), Streams(["one", "one"], isSame: true))
        #expect(try await send("/moved", delegate, on: origin)?.code == .requestBodyStreamExhausted)
    }

    @Test func `a stream of the request comes before the delegate's`() async throws {
        let (origin, delegate) = (try origin(), Streams(["other"]))
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: try #require(URL(string: origin.url())))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("own".utf8))
        session.uploadTask(withStreamedRequest: request).resume()
        for await error in delegate.ends {
            #expect(error == nil)
            break
        }
        #expect(origin.requests.first?.body == Array("own".utf8) && delegate.count.withLock { $0 } == 0)
    }
}
