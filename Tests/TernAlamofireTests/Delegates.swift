// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

class LoggingSessionDelegate: SessionDelegate, @unchecked Sendable {
    let lock = NSLock()
    var lines: [String] = []

    override func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        lock.lock()
        lines.append("URLSession will perform HTTP redirection to request: \(request)")
        lock.unlock()
        super.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }
}

@Suite struct Delegates {
    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/there"
                ? [.ok("there")] : [.respond(status: 302, fields: [(name: "Location", value: "/there")])]
        }
    }

    private func text(_ request: DataRequest) async -> String? {
        await withCheckedContinuation { continuation in
            request.responseString { continuation.resume(returning: $0.value) }
        }
    }

    @Test func `a closure changes where a redirect leads`() async throws {
        let origin = try origin()
        let sessionManager = Alamofire.SessionManager(configuration: URLSessionConfiguration.default)
        let delegate: Alamofire.SessionDelegate = sessionManager.delegate

        delegate.taskWillPerformHTTPRedirection = { session, task, response, request in
            var finalRequest = request
            if let originalRequest = task.originalRequest as URLRequest?,
                let urlString = originalRequest.url?.absoluteString, urlString.contains("127.0.0.1")
            {
                finalRequest.setValue("1", forHTTPHeaderField: "X-Followed")
            }
            return finalRequest
        }
        #expect(await text(sessionManager.request(origin.url())) == "there")
        #expect(origin.requests.last?.value(of: "X-Followed") == "1")
    }

    @Test(.proves("3.5a")) func `the form with a completion handler`() async throws {
        let origin = try origin()
        let sessionManager = SessionManager(configuration: .default)
        sessionManager.delegate.taskWillPerformHTTPRedirectionWithCompletion = {
            (session: URLSession, task: URLSessionTask, response: HTTPURLResponse, request: URLRequest, completion)
            in
            completion(nil)
        }
        let request = sessionManager.request(origin.url())
        _ = await text(request)
        #expect(request.response?.statusCode == 302)
        #expect(sessionManager.delegate[request.task!] == nil)
    }

    @Test(.proves("2.4b")) func `a subclass overrides a method`() async throws {
        let origin = try origin()
        let delegate = LoggingSessionDelegate()
        let sessionManager = SessionManager(configuration: URLSessionConfiguration.default, delegate: delegate)
        #expect(await text(sessionManager.request(origin.url())) == "there")
        #expect(delegate.lines.count == 1)
    }

    @Test(.proves("6.1a")) func `closures about challenges name what URLSession names`() async throws {
        let leaf = try CertificateAuthority().issue()
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("trusted")] }
        let sessionManager = SessionManager(configuration: .default)
        sessionManager.delegate.sessionDidReceiveChallenge = { session, challenge in
            var disposition: URLSession.AuthChallengeDisposition = .performDefaultHandling
            var credential: URLCredential?
            if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let serverTrust = challenge.protectionSpace.serverTrust
            {
                disposition = .useCredential
                credential = URLCredential(trust: serverTrust)
            }
            return (disposition, credential)
        }
        #expect(await text(sessionManager.request(origin.url())) == "trusted")
    }

    @Test(.proves("5.1c")) func `the user's own operations run after the handlers`() async throws {
        let origin = try origin()
        let request = Alamofire.request(origin.url())
        let status: Int? = await withCheckedContinuation { continuation in
            request.delegate.queue.addOperation { continuation.resume(returning: request.response?.statusCode) }
        }
        #expect(status == 200)
    }
}
