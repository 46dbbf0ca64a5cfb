// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

class AccessTokenAdapter: RequestAdapter {
    private let accessToken: String

    init(accessToken: String) {
        self.accessToken = accessToken
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var urlRequest = urlRequest
        if let urlString = urlRequest.url?.absoluteString, urlString.hasPrefix("http://127.0.0.1") {
            urlRequest.setValue("Bearer " + accessToken, forHTTPHeaderField: "Authorization")
        }
        return urlRequest
    }
}

/// Refreshes a token when a request has failed for want of it, as Alamofire's guide has it.
class OAuth2Handler: RequestAdapter, RequestRetrier {
    private typealias RefreshCompletion = (_ succeeded: Bool, _ accessToken: String?) -> Void

    private let sessionManager: SessionManager = {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = SessionManager.defaultHTTPHeaders
        return SessionManager(configuration: configuration)
    }()

    private let lock = NSLock()
    private let baseURLString: String
    private var accessToken: String
    private var isRefreshing = false
    private var requestsToRetry: [RequestRetryCompletion] = []

    init(baseURLString: String, accessToken: String) {
        self.baseURLString = baseURLString
        self.accessToken = accessToken
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        lock.lock(); defer { lock.unlock() }
        if let urlString = urlRequest.url?.absoluteString, urlString.hasPrefix(baseURLString) {
            var urlRequest = urlRequest
            urlRequest.setValue("Bearer " + accessToken, forHTTPHeaderField: "Authorization")
            return urlRequest
        }
        return urlRequest
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: Error,
        completion: @escaping RequestRetryCompletion
    ) {
        lock.lock(); defer { lock.unlock() }
        if let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 {
            requestsToRetry.append(completion)
            if !isRefreshing {
                refreshTokens { [weak self] succeeded, accessToken in
                    guard let strongSelf = self else { return }
                    strongSelf.lock.lock(); defer { strongSelf.lock.unlock() }
                    if let accessToken = accessToken { strongSelf.accessToken = accessToken }
                    strongSelf.requestsToRetry.forEach { $0(succeeded, 0.0) }
                    strongSelf.requestsToRetry.removeAll()
                }
            }
        } else {
            completion(false, 0.0)
        }
    }

    private func refreshTokens(completion: @escaping RefreshCompletion) {
        guard !isRefreshing else { return }
        isRefreshing = true
        sessionManager.request(
            "\(baseURLString)/oauth2/token", method: .post, parameters: ["grant_type": "refresh_token"],
            encoding: JSONEncoding.default
        ).responseJSON { [weak self] response in
            guard let strongSelf = self else { return }
            if let json = response.result.value as? [String: Any], let accessToken = json["access_token"] as? String {
                completion(true, accessToken)
            } else {
                completion(false, nil)
            }
            strongSelf.isRefreshing = false
        }
    }
}

@Suite struct Interception {
    @Test(.proves("7.1a")) func `an adapter adds a token`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("")] }
        let sessionManager = SessionManager()
        sessionManager.adapter = AccessTokenAdapter(accessToken: "1234")
        let error: Error? = await withCheckedContinuation { continuation in
            sessionManager.request(origin.url()).response { continuation.resume(returning: $0.error) }
        }
        #expect(error == nil)
        #expect(origin.requests.first?.value(of: "Authorization") == "Bearer 1234")
    }

    @Test(.proves("2.10a")) func `a refreshed token serves the request that failed for want of it`() async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/oauth2/token" {
                return [.respond(body: Array(#"{"access_token": "new"}"#.utf8))]
            }
            if request.value(of: "Authorization") == "Bearer new" { return [.respond(status: 200)] }
            return [.hold, .respond(status: 401)]
        }
        let handler = OAuth2Handler(baseURLString: origin.url(""), accessToken: "old")
        let sessionManager = SessionManager()
        sessionManager.adapter = handler
        sessionManager.retrier = handler
        for number in 0..<3 {
            let request = sessionManager.request(origin.url("/\(number)")).validate()
            if number == 0 {
                #expect(await origin.waitFor { $0.requestCount == 1 })
                try origin.release()
            }
            let status: Int? = await withCheckedContinuation { continuation in
                request.responseData { continuation.resume(returning: $0.response?.statusCode) }
            }
            #expect(status == 200)
        }
        #expect(origin.requests.map(\.target) == ["/0", "/oauth2/token", "/0", "/1", "/2"])
    }
}
