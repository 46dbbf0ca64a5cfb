// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Credentials {
    @Test(.proves("4.8a", "4.9a")) func `a password is given when it is asked for`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == "Basic dXNlcjpwYXNzd29yZA=="
                ? [.ok("welcome")]
                : [.hold, .respond(status: 401, fields: [(name: "WWW-Authenticate", value: #"Basic realm="x""#)])]
        }
        let user = "user"
        let password = "password"
        let request = Alamofire.request(origin.url("/basic-auth/\(user)/\(password)"))
            .authenticate(user: user, password: password)
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        let first: String? = await withCheckedContinuation { continuation in
            request.responseString { continuation.resume(returning: $0.value) }
        }
        #expect(first == "welcome")

        let credential = URLCredential(user: user, password: password, persistence: .forSession)
        let other = Alamofire.request(origin.url()).authenticate(usingCredential: credential)
        #expect(await origin.waitFor { $0.requestCount == 3 })
        try origin.release()
        let second: String? = await withCheckedContinuation { continuation in
            other.responseString { continuation.resume(returning: $0.value) }
        }
        #expect(second == "welcome")

        var headers: HTTPHeaders = [:]
        if let authorizationHeader = Request.authorizationHeader(user: user, password: password) {
            headers[authorizationHeader.key] = authorizationHeader.value
        }
        #expect(headers == ["Authorization": "Basic dXNlcjpwYXNzd29yZA=="])
    }
}

/// Call sites of Alamofire's own suite, whose tests begin and end with an empty storage. One at a time: the storage is
/// that of the process.
@Suite(.serialized) final class StoredCredentials {
    private let user = "user"
    private let password = "password"

    init() { removeCredentials() }

    deinit { removeCredentials() }

    private func removeCredentials() {
        let credentialStorage = URLCredentialStorage.shared

        for (protectionSpace, credentials) in credentialStorage.allCredentials {
            for (_, credential) in credentials { credentialStorage.remove(credential, for: protectionSpace) }
        }
    }

    /// `/basic-auth`, `/hidden-basic-auth` and `/digest-auth` of httpbin.org.
    private func httpbin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let value = request.value(of: "Authorization") ?? ""
            if value == "Basic dXNlcjpwYXNzd29yZA==" { return [.ok("authenticated")] }
            if request.target.hasPrefix("/hidden") { return [.respond(status: 404)] }
            guard request.target.hasPrefix("/digest") else {
                let field = #"Basic realm="Fake Realm""#
                return [.respond(status: 401, fields: [(name: "WWW-Authenticate", value: field)])]
            }
            if value.hasPrefix("Digest "), value.contains(#"username="user""#), value.contains("qop=auth") {
                return [.ok("authenticated")]
            }
            let field = #"Digest realm="me@kennethreitz.com", nonce="n", qop="auth", opaque="o""#
            return [.respond(status: 401, fields: [(name: "WWW-Authenticate", value: field)])]
        }
    }

    private func response(_ request: DataRequest) async -> DefaultDataResponse {
        await withCheckedContinuation { continuation in
            request.response { continuation.resume(returning: $0) }
            request.resume()
        }
    }

    /// A server on loopback may ask before `authenticate` has been called, so requests start when they are complete.
    private func makeManager(_ configuration: URLSessionConfiguration = .default) -> SessionManager {
        let manager = SessionManager(configuration: configuration)
        manager.startRequestsImmediately = false
        return manager
    }

    @Test func `basic authentication with invalid credentials`() async throws {
        let manager = makeManager()
        let origin = try httpbin()
        let response = await response(
            manager.request(origin.url("/basic-auth/\(user)/\(password)"))
                .authenticate(user: "invalid", password: "credentials"))
        #expect(response.request != nil && response.response?.statusCode == 401 && response.error == nil)
        #expect(origin.requests.count == 2 && URLCredentialStorage.shared.allCredentials.isEmpty)
    }

    @Test(.proves("4.8b")) func `basic authentication with valid credentials, which are stored and sent at once`()
        async throws
    {
        let manager = makeManager()
        let origin = try httpbin()
        let url = origin.url("/basic-auth/\(user)/\(password)")
        let first = await response(manager.request(url).authenticate(user: user, password: password))
        #expect(first.response?.statusCode == 200 && first.data?.isEmpty == false && first.error == nil)
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: Int(origin.port), protocol: "http", realm: "Fake Realm",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        #expect(URLCredentialStorage.shared.credentials(for: space)?[user]?.persistence == .forSession)
        #expect(await response(manager.request(url)).response?.statusCode == 200)
        #expect(origin.requests.count == 3)
        // Another session of the same storage proposes it.
        let (second, ephemeral) = (makeManager(), makeManager(.ephemeral))
        #expect(await response(second.request(url)).response?.statusCode == 200)
        #expect(origin.requests.count == 5)
        #expect(await response(ephemeral.request(url)).response?.statusCode == 401)
    }

    @Test func `basic authentication with a credential that is not to be stored`() async throws {
        let manager = makeManager()
        let origin = try httpbin()
        let credential = URLCredential(user: user, password: password, persistence: .none)
        for _ in 0..<2 {
            let request = manager.request(origin.url("/basic-auth/\(user)/\(password)"))
            let response = await response(request.authenticate(usingCredential: credential))
            #expect(response.response?.statusCode == 200)
        }
        #expect(origin.requests.count == 4 && URLCredentialStorage.shared.allCredentials.isEmpty)
    }

    @Test func `hidden basic authentication takes the header field`() async throws {
        let manager = makeManager()
        let origin = try httpbin()
        let authorizationHeader = try #require(Request.authorizationHeader(user: user, password: password))
        let headers = [authorizationHeader.key: authorizationHeader.value]
        let url = origin.url("/hidden-basic-auth/\(user)/\(password)")
        #expect(await response(manager.request(url, headers: headers)).response?.statusCode == 200)
        #expect(await response(manager.request(url)).response?.statusCode == 404)
    }

    @Test func `digest authentication with invalid and with valid credentials`() async throws {
        let manager = makeManager()
        let origin = try httpbin()
        let url = origin.url("/digest-auth/auth/\(user)/\(password)")
        let invalid = await response(manager.request(url).authenticate(user: "invalid", password: "credentials"))
        #expect(invalid.response?.statusCode == 401 && invalid.error == nil)
        let valid = await response(manager.request(url).authenticate(user: user, password: password))
        #expect(valid.response?.statusCode == 200 && valid.error == nil)
        #expect(
            URLCredentialStorage.shared.allCredentials.keys.map(\.authenticationMethod) == [
                NSURLAuthenticationMethodHTTPDigest
            ])
    }

    @Test(.proves("6.2c")) func `the default credential of the storage answers, and what is refused is not answered`()
        async throws
    {
        let manager = makeManager()
        let origin = try httpbin()
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: Int(origin.port), protocol: "http", realm: "Fake Realm",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let storage = try #require(manager.session.configuration.urlCredentialStorage)
        #expect(storage === URLCredentialStorage.shared)
        storage.setDefaultCredential(
            URLCredential(user: "other", password: "wrong", persistence: .forSession), for: space)
        #expect(await response(manager.request(origin.url("/basic-auth"))).response?.statusCode == 401)
        #expect(origin.requests.count == 2)
        storage.setDefaultCredential(
            URLCredential(user: user, password: password, persistence: .forSession), for: space)
        #expect(storage.defaultCredential(for: space)?.user == user)
        #expect(await response(manager.request(origin.url("/basic-auth"))).response?.statusCode == 200)
        // The request's own credential comes before the default one.
        let second = makeManager()
        let own = second.request(origin.url("/basic-auth")).authenticate(user: "own", password: "x")
        #expect(await response(own).response?.statusCode == 401)
        storage.remove(URLCredential(user: user, password: "", persistence: .none), for: space, options: nil)
        #expect(storage.defaultCredential(for: space) == nil)
    }

    @Test func `the closures of the hub and of AFNetworking's manager are asked with the proposal`() async throws {
        let origin = try httpbin()
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: Int(origin.port), protocol: "http", realm: "Fake Realm",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        URLCredentialStorage.shared.set(
            URLCredential(user: user, password: password, persistence: .forSession), for: space)
        let (proposals, noted) = AsyncStream<String>.makeStream()
        let manager = makeManager()
        manager.delegate.taskDidReceiveChallenge = { _, _, challenge in
            noted.yield("\(challenge.proposedCredential?.user ?? "") \(challenge.previousFailureCount)")
            return (.performDefaultHandling, nil)
        }
        #expect(await response(manager.request(origin.url("/basic-auth"))).response?.statusCode == 200)
        let other = AFURLSessionManager(sessionConfiguration: .default)
        other.setTaskDidReceiveAuthenticationChallengeBlock { _, _, challenge in
            noted.yield("\(challenge.proposedCredential?.user ?? "") \(challenge.previousFailureCount)")
            return (.useCredential, challenge.proposedCredential)
        }
        let status: Int? = await withCheckedContinuation { continuation in
            let request = URLRequest(url: URL(string: origin.url("/basic-auth"))!)
            let task = other.dataTask(with: request) { response, _, _ in
                continuation.resume(returning: response?.statusCode)
            }
            task.resume()
        }
        noted.finish()
        #expect(status == 200)
        #expect(await proposals.reduce(into: []) { $0.append($1) } == ["user 0", "user 0"])
        // Foundation's calls with a task.
        let task = manager.session.dataTask(with: URLRequest(url: URL(string: origin.url())!))
        let storage = URLCredentialStorage.shared
        storage.getCredentials(for: space, task: task) { #expect($0?.count == 1) }
        storage.getDefaultCredential(for: space, task: task) { #expect($0 != nil) }
        let credential = URLCredential(user: "a", password: "b", persistence: .forSession)
        storage.set(credential, for: space, task: task)
        storage.setDefaultCredential(credential, for: space, task: task)
        storage.getDefaultCredential(for: space, task: task) { #expect($0 == credential) }
        storage.remove(credential, for: space, options: nil, task: task)
        #expect(storage.credentials(for: space)?.count == 1)
        #expect(NSURLAuthenticationMethodClientCertificate == "NSURLAuthenticationMethodClientCertificate")
    }
}

@Suite struct DefaultConfiguration {
    @Test func `a manager of the default configuration keeps cookies, as on Darwin`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/set"
                ? [.respond(status: 200, fields: [(name: "Set-Cookie", value: "foo=bar; Path=/default-configuration")])]
                : [.ok(request.value(of: "Cookie") ?? "none")]
        }
        func text(_ manager: SessionManager, _ path: String) async -> String? {
            await withCheckedContinuation { continuation in
                manager.request(origin.url(path)).responseString { continuation.resume(returning: $0.value) }
            }
        }
        let manager = SessionManager(configuration: .default)
        #expect(manager.session.configuration.httpCookieStorage === HTTPCookieStorage.shared)
        #expect(AFURLSessionManager(sessionConfiguration: .default).session.configuration.httpCookieStorage != nil)
        _ = await text(manager, "/set")
        #expect(await text(manager, "/default-configuration") == "foo=bar")
        #expect(await text(SessionManager(), "/default-configuration") == "none")
        let configuration = SessionConfiguration.default
        #expect(SessionManager(configuration: configuration).session.configuration.httpCookieStorage == nil)
    }
}
