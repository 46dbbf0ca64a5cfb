// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

import Tern

/// As the documentation tells users to write one.
private final class OAuth2Handler: RequestInterceptor {
    private struct State {
        var token: String
        var isRefreshing = false
        var waiting: [RequestRetryCompletion] = []
    }

    private let refreshURL: String
    private let refreshing = SessionManager()
    private let state: Lock<State>

    init(token: String, refreshURL: String) {
        self.refreshURL = refreshURL
        state = Lock(State(token: token))
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var request = urlRequest
        request.setValue("Bearer \(state.withLock { $0.token })", forHTTPHeaderField: "Authorization")
        return request
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard request.response?.statusCode == 401, request.retryCount < 2 else { return completion(false, 0) }
        let sent = request.request?.value(forHTTPHeaderField: "Authorization")
        let (isNew, refreshes) = state.withLock { state -> (Bool, Bool) in
            // Another request has refreshed the token since this one was sent.
            if sent != "Bearer \(state.token)" { return (true, false) }
            state.waiting.append(completion)
            defer { state.isRefreshing = true }
            return (false, !state.isRefreshing)
        }
        if isNew { return completion(true, 0) }
        if refreshes { refresh() }
    }

    private func refresh() {
        refreshing.request(refreshURL, method: .post).validate().responseString { [self] response in
            let waiting = state.withLock { state in
                if let token = response.value { state.token = token }
                state.isRefreshing = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for completion in waiting { completion(response.error == nil, 0) }
        }
    }
}

@Suite struct OAuth2HandlerTests {
    @Test(.proves("2.10a")) func `many requests with an old token wait for one refresh, and all succeed`() async throws
    {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/token" { return [.ok("new")] }
            return request.value(of: "Authorization") == "Bearer new" ? [.ok(request.target)] : [.respond(status: 401)]
        }
        let manager = SessionManager()
        let handler = OAuth2Handler(token: "old", refreshURL: origin.url("/token"))
        manager.adapter = handler
        manager.retrier = handler
        let requests = (0..<200).map { number in manager.begin { $0.request(origin.url("/\(number)")).validate() } }
        for (number, request) in requests.enumerated() {
            #expect(await request.serializingString().result.value == "/\(number)")
        }
        #expect(origin.requests.filter { $0.target == "/token" }.count == 1)
    }

    @Test func `a refresh that fails fails all that wait for it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 401)] }
        let manager = SessionManager()
        let handler = OAuth2Handler(token: "old", refreshURL: origin.url("/token"))
        manager.adapter = handler
        manager.retrier = handler
        let requests = (0..<20).map { number in manager.begin { $0.request(origin.url("/\(number)")).validate() } }
        for request in requests {
            let error = await request.serializingString().response.error
            #expect((error as? AFError)?.responseCode == 401)
        }
    }
}
