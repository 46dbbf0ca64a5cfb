// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Answers the challenges of a task, and keeps them.
private final class Answering: SessionTaskDelegate {
    let record = RecordingDelegate()
    private let asked = Lock<[AuthenticationChallenge]>([])
    private let answer: @Sendable (AuthenticationChallenge) -> ChallengeAnswer

    init(_ answer: @escaping @Sendable (AuthenticationChallenge) -> ChallengeAnswer) { self.answer = answer }

    var challenges: [AuthenticationChallenge] { asked.withLock { $0 } }

    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        asked.withLock { $0.append(challenge) }
        question.answer(answer(challenge))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        record.task(task, didCompleteWith: error)
    }
}

@Suite(.timeLimit(.minutes(1))) struct StoredCredentialsTests {
    private let storage = CredentialStorage()
    private let session: Session

    init() { session = Session.limited { [storage] in $0.urlCredentialStorage = storage } }

    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    /// Accepts these names and passwords by Basic, in the realm `r`, or in that of a path.
    private func origin(
        _ accepted: [String], realms: [String: String] = [:], redirecting: [String: String] = [:],
        tls: Identity? = nil
    ) throws -> ScriptedOrigin {
        let accepted = Set(accepted.map(Self.basic))
        return try ScriptedOrigin(tls: tls) { _, request in
            if request.target.hasPrefix("/open") { return [.ok("open")] }
            guard let value = request.value(of: "Authorization"), accepted.contains(value) else {
                let realm = realms[request.target] ?? "r"
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"\(realm)\"")])]
            }
            if let location = redirecting[request.target] {
                return [.respond(status: 302, fields: [("Location", location)])]
            }
            return [.ok("hello")]
        }
    }

    private func space(
        _ origin: ScriptedOrigin, realm: String = "r", _ method: ProtectionSpace.AuthenticationMethod = .httpBasic
    ) -> ProtectionSpace {
        ProtectionSpace(
            host: "127.0.0.1", port: Int(origin.port), protocol: "http", realm: realm, authenticationMethod: method)
    }

    private func store(
        _ user: String, _ password: String = "p", for space: ProtectionSpace, isDefault: Bool = false
    ) {
        let credential = Credential(user: user, password: password, persistence: .forSession)
        if isDefault { return storage.setDefaultCredential(credential, for: space) }
        storage.set(credential, for: space)
    }

    private func status(_ origin: ScriptedOrigin, _ target: String = "/") async throws -> Int {
        // As typed, with dot segments.
        try await session.data(for: try URLRequest(typed: origin.url(target).utf8)).1.statusCode
    }

    private func run(_ request: URLRequest, _ delegate: Answering) async -> String {
        session.dataTask(with: request, delegate: delegate).resume()
        return String(decoding: await delegate.record.end().body, as: UTF8.self)
    }

    private func sent(_ origin: ScriptedOrigin) -> [String?] {
        origin.requests.map { $0.value(of: "Authorization").map { $0.hasPrefix("Digest") ? "digest" : $0 } }
    }

    @Test func `the default credential of the space answers by itself, without a delegate`() async throws {
        let origin = try origin(["ada:p"])
        store("ada", for: space(origin), isDefault: true)
        store("bob", for: space(origin))
        #expect(try await status(origin) == 200)
        #expect(sent(origin) == [nil, Self.basic("ada:p")])
    }

    @Test func `a delegate is asked with the proposal, which the default handling uses`() async throws {
        let origin = try origin(["ada:p"])
        store("ada", for: space(origin))
        let delegate = Answering { _ in .performDefaultHandling }
        #expect(await run(try URLRequest(origin), delegate) == "hello")
        let challenge = try #require(delegate.challenges.first)
        #expect(challenge.proposedCredential?.user == "ada" && challenge.previousFailureCount == 0)
        #expect(challenge.protectionSpace == space(origin) && delegate.challenges.count == 1)
        let refusing = Answering { _ in .deliver }
        let other = try self.origin(["ada:p"])
        store("ada", for: space(other))
        #expect(await run(try URLRequest(other), refusing).isEmpty && other.requests.count == 1)
    }

    @Test func `a refused credential is proposed once in a task, and the next one after it`() async throws {
        let origin = try origin(["eve:p"])
        for user in ["eve", "bob", "ada"] { store(user, for: space(origin)) }
        let delegate = Answering { challenge in
            challenge.proposedCredential?.passwordCredential.map { .credential($0) } ?? .deliver
        }
        #expect(await run(try URLRequest(origin), delegate) == "hello")
        #expect(delegate.challenges.map(\.proposedCredential?.user) == ["ada", "bob", "eve"])
        #expect(delegate.challenges.map(\.previousFailureCount) == [0, 1, 2])
        let deaf = try self.origin([])
        store("ada", for: space(deaf))
        let again = Answering { _ in .performDefaultHandling }
        _ = await run(try URLRequest(deaf), again)
        #expect(again.challenges.map(\.proposedCredential?.user) == ["ada", nil] && deaf.requests.count == 2)
    }

    @Test func `a stored credential is for its space alone`() async throws {
        let origin = try origin(["ada:p"], realms: ["/other": "s"])
        store("ada", for: space(origin, realm: "s"))
        store("ada", for: space(origin, .httpDigest))
        store(
            "ada",
            for: ProtectionSpace(
                host: "127.0.0.1", port: Int(origin.port), protocol: "https", realm: "r",
                authenticationMethod: .httpBasic))
        #expect(try await status(origin) == 401)
        #expect(sent(origin) == [nil])
        #expect(try await status(origin, "/other") == 200)
    }

    @Test func `an accepted answer is stored as long as it says, and no other one is`() async throws {
        let origin = try origin(["ada:p", "bob:p"])
        let request = try URLRequest(origin)
        let answers: [(String, Credential.Persistence)] = [("ada", .none), ("eve", .permanent), ("bob", .permanent)]
        for (user, persistence) in answers {
            let delegate = Answering { challenge in
                challenge.previousFailureCount > 0
                    ? .deliver
                    : .credential(PasswordCredential(user: user, password: "p"), persistence: persistence)
            }
            _ = await run(request, delegate)
        }
        #expect(storage.allCredentials.keys.map { $0 } == [space(origin)])
        #expect(storage.credentials(for: space(origin))?.mapValues(\.persistence) == ["bob": .permanent])
    }

    @Test func `a gateway that fails accepts nothing`() async throws {
        for status in [407, 500, 503] {
            let origin = try ScriptedOrigin { _, request in
                request.value(of: "Authorization") == nil
                    ? [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
                    : [.respond(status: status)]
            }
            let delegate = Answering { _ in
                .credential(PasswordCredential(user: "a", password: "b"), persistence: .forSession)
            }
            _ = await run(try URLRequest(origin), delegate)
            #expect(origin.requests.count == 2 && storage.allCredentials.isEmpty)
        }
    }

    @Test func `the name and password of a URL are for such URLs alone`() async throws {
        let origin = try origin(["ada:p", "bob:q"], redirecting: ["/a/from": "/a/to"])
        let plain = try URLRequest(origin, "/a/")
        let ada = try URLRequest(string: "http://ada:p@127.0.0.1:\(origin.port)/a/from")
        let bob = try URLRequest(string: "http://bob:q@127.0.0.1:\(origin.port)/a/")
        let wrong = try URLRequest(string: "http://ada:x@127.0.0.1:\(origin.port)/a/")
        let other = Session(configuration: session.configuration)
        for (session, request, status, credentials) in [
            (session, ada, 200, [nil, "ada:p", "ada:p"]), (session, plain, 401, [nil]), (other, plain, 401, [nil]),
            // The space is known.
            (session, ada, 200, ["ada:p", "ada:p"]), (session, bob, 200, [nil, "bob:q"]),
            (session, bob, 200, ["bob:q"]),
            (session, plain, 401, [nil]), (session, wrong, 401, [nil, "ada:x"]), (session, plain, 401, [nil]),
        ] {
            let count = origin.requests.count
            #expect(try await session.data(for: request).1.statusCode == status)
            #expect(sent(origin).dropFirst(count) == credentials.map { $0.map(Self.basic) }[...], "\(request)")
        }
        #expect(storage.allCredentials.isEmpty)
        // What the program stores is another matter.
        store("ada", for: space(origin))
        #expect(try await session.data(for: plain).1.statusCode == 200)
    }

    @Test func `a URL with a name alone takes the password of that name`() async throws {
        let origin = try origin(["ada:p", "bob:p"])
        store("ada", for: space(origin), isDefault: true)
        store("bob", for: space(origin))
        let request = try URLRequest(string: "http://bob@127.0.0.1:\(origin.port)/")
        for _ in 0..<2 { #expect(try await session.data(for: request).1.statusCode == 200) }
        #expect(sent(origin) == [nil, Self.basic("bob:p"), Self.basic("bob:p")])
    }

    @Test func `the credential of a request is its own, and is not stored`() async throws {
        let origin = try origin(["ada:p", "bob:q"])
        store("ada", for: space(origin))
        #expect(try await status(origin) == 200)
        var request = try URLRequest(origin)
        request.credential = PasswordCredential(user: "bob", password: "q")
        #expect(try await session.data(for: request).1.statusCode == 200)
        request.credential = nil
        request.headers["Authorization"] = "Bearer x"
        #expect(try await session.data(for: request).1.statusCode == 401)
        #expect(sent(origin) == [nil, Self.basic("ada:p"), nil, Self.basic("bob:q"), "Bearer x"])
        #expect(storage.credentials(for: space(origin))?.count == 1)
    }

    @Test func `a session without a storage stores and proposes nothing`() async throws {
        let origin = try origin(["ada:p"])
        let session = Session.limited()
        let request = try URLRequest(string: "http://ada:p@127.0.0.1:\(origin.port)/")
        for _ in 0..<2 { #expect(try await session.data(for: request).1.statusCode == 200) }
        #expect(sent(origin) == [nil, Self.basic("ada:p"), nil, Self.basic("ada:p")])
        #expect(HopPolicies(of: SessionConfiguration()).readingAll.isEmpty)
    }

    @Test func `an accepted password is sent at once at and below its folder, and nowhere else`() async throws {
        let origin = try origin(["ada:p"])
        store("ada", for: space(origin))
        let targets = [
            ("/open", false), ("/a/b/c?x=/", false), ("/a/b/", true), ("/a/b/d/e?q", true), ("/a/b/%2e%2E/x", false),
            ("/a/b/x%2Fy", false), ("/a/bc", false), ("/a/z", true),
        ]
        for (target, isEarly) in targets {
            let count = origin.requests.count
            #expect(try await status(origin, target) == 200)
            #expect((sent(origin)[count] != nil) == isEarly, "\(target)")
        }
    }

    @Test func `a password that was refused meanwhile is asked for again, and replaced`() async throws {
        let password = Lock("Basic")
        let origin = try ScriptedOrigin { _, request in
            let isWelcome = request.value(of: "Authorization") == password.withLock { $0 }
            return isWelcome ? [.ok("hello")] : [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
        }
        password.withLock { $0 = Self.basic("ada:1") }
        store("ada", "1", for: space(origin))
        for _ in 0..<2 { #expect(try await status(origin) == 200) }
        #expect(origin.requests.count == 3)
        password.withLock { $0 = Self.basic("ada:2") }
        let delegate = Answering { challenge in
            challenge.previousFailureCount == 0
                ? .credential(PasswordCredential(user: "ada", password: "2"), persistence: .forSession) : .deliver
        }
        #expect(await run(try URLRequest(origin), delegate) == "hello")
        #expect(delegate.challenges.map(\.proposedCredential) == [nil], "it was sent in this task")
        #expect(delegate.challenges.map(\.previousFailureCount) == [0], "and not as an answer")
        #expect(try await status(origin) == 200)
        #expect(sent(origin).suffix(3) == [Self.basic("ada:1"), Self.basic("ada:2"), Self.basic("ada:2")])
    }

    @Test(arguments: [503, 500])
    func `a password is stored by the first response that is no failure of the server`(status: Int) async throws {
        let loginCount = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            guard request.value(of: "Authorization") == Self.basic("ada:p") else {
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
            }
            let isFirst = loginCount.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            return isFirst ? [.respond(status: status)] : [.ok("hello")]
        }
        let session = Session.limited { [storage] in
            $0.urlCredentialStorage = storage
            $0.retryPolicy = .standard
            $0.retryPolicy.statusCodes = [status]
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        let delegate = Answering { _ in
            .credential(PasswordCredential(user: "ada", password: "p"), persistence: .forSession)
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(String(decoding: await delegate.record.end().body, as: UTF8.self) == "hello")
        #expect(storage.credentials(for: space(origin))?.count == 1)
        #expect(try await session.text(URLRequest(origin)) == "hello")
        #expect(sent(origin) == [nil] + Array(repeating: Self.basic("ada:p"), count: 3))
    }

    @Test func `a password that is removed is not sent, and a changed one is sent at once`() async throws {
        let origin = try origin(["ada:p", "ada:new"])
        store("ada", for: space(origin))
        #expect(try await status(origin) == 200)
        store("ada", "new", for: space(origin))
        #expect(try await status(origin) == 200)
        storage.remove(Credential(user: "ada", password: "", persistence: .none), for: space(origin))
        #expect(try await status(origin) == 401)
        #expect(sent(origin) == [nil, Self.basic("ada:p"), Self.basic("ada:new"), nil])
    }

    @Test func `realms of one origin keep their passwords apart`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let (realm, user) = request.target.hasPrefix("/a/b/") ? ("inner", "bob:p") : ("outer", "ada:p")
            return request.value(of: "Authorization") == Self.basic(user)
                ? [.ok()] : [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\(realm)")])]
        }
        store("ada", for: space(origin, realm: "outer"))
        store("bob", for: space(origin, realm: "inner"))
        for target in ["/a/x", "/a/b/x", "/a/b/x", "/a/x"] { #expect(try await status(origin, target) == 200) }
        #expect(
            sent(origin) == [
                nil, Self.basic("ada:p"), Self.basic("ada:p"), Self.basic("bob:p"), Self.basic("bob:p"),
                Self.basic("ada:p"),
            ])
    }

    @Test func `a redirect to another origin takes nothing along, and has what is stored for that one`() async throws {
        let target = try origin(["bob:p"])
        let source = try origin(["ada:p"], redirecting: ["/": target.url("/")])
        store("ada", for: space(source))
        #expect(try await status(source) == 401)
        #expect(sent(target) == [nil])
        store("bob", for: space(target))
        for _ in 0..<2 { #expect(try await status(source) == 200) }
        #expect(sent(target) == [nil, nil, Self.basic("bob:p"), Self.basic("bob:p")])
        #expect(sent(source) == [nil] + Array(repeating: Self.basic("ada:p"), count: 3))
    }

    @Test func `what was learned over TLS is not sent without it`() async throws {
        let authority = try CertificateAuthority()
        let secure = try origin(["ada:p"], tls: try authority.issue())
        let session = try Session.trusting(authority) { [storage] in $0.urlCredentialStorage = storage }
        let delegate = Answering { _ in
            .credential(PasswordCredential(user: "ada", password: "p"), persistence: .forSession)
        }
        session.dataTask(with: try URLRequest(secure), delegate: delegate).resume()
        #expect(String(decoding: await delegate.record.end().body, as: UTF8.self) == "hello")
        #expect(storage.allCredentials.keys.map(\.protocol) == ["https"])
        // The same host and port, as another server could have it.
        let (host, port) = ("localhost", Int(secure.port))
        let plain = ProtectionSpace(
            host: host, port: port, protocol: "http", realm: "r", authenticationMethod: .httpBasic)
        #expect(storage.proposals(for: plain).isEmpty)
    }

    private static func digest(_ request: ReceivedRequest) -> HTTPChallenge? {
        HTTPChallenge.challenges(in: request.values(of: "Authorization")).first { $0.scheme == "digest" }
    }

    /// Accepts any answer to the nonce of a moment.
    private func digestOrigin(
        _ parameters: String = "", stale: Bool = true, nonce: @escaping @Sendable () -> String = { "n" }
    ) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let answer = Self.digest(request)
            if answer?["nonce"] == nonce(), answer?["username"] == "ada" { return [.ok("hello")] }
            let isStale = stale && answer != nil && answer?["nonce"] != nonce()
            let field = "Digest realm=r, qop=auth, nonce=\(nonce())\(isStale ? ", stale=true" : "")\(parameters)"
            return [.respond(status: 401, fields: [("WWW-Authenticate", field)])]
        }
    }

    @Test func `Digest is sent at once to the whole origin, and counts the uses of a nonce`() async throws {
        let origin = try digestOrigin()
        store("ada", for: space(origin, .httpDigest))
        for target in ["/a/b", "/c", "/"] { #expect(try await status(origin, target) == 200) }
        let answers = origin.requests.map(Self.digest)
        #expect(answers.map { $0?["uri"] } == [nil, "/a/b", "/c", "/"])
        #expect(answers.map { $0?["nc"] } == [nil, "00000001", "00000002", "00000003"])
        #expect(Set(answers.compactMap { $0?["cnonce"] }).count == 3)
    }

    @Test(arguments: [true, false])
    func `a nonce that has ended is answered anew, whether the server calls it stale or not`(stale: Bool) async throws {
        let nonce = Lock("1")
        let origin = try digestOrigin(stale: stale) { nonce.withLock { $0 } }
        store("ada", for: space(origin, .httpDigest))
        #expect(try await status(origin) == 200)
        nonce.withLock { $0 = "2" }
        for _ in 0..<2 { #expect(try await status(origin) == 200) }
        #expect(origin.requests.map { Self.digest($0)?["nonce"] } == [nil, "1", "1", "2", "2"])
    }

    @Test func `the nonce that an answer names is the next one, counted from 1`() async throws {
        let nonce = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            let answer = Self.digest(request)
            let (expected, next) = nonce.withLock { nonce in
                defer { nonce += 1 }
                return ("\(nonce)", "\(nonce + 1)")
            }
            guard answer?["nonce"] == expected else {
                let field = "Digest realm=r, qop=auth, nonce=\"\(next)\""
                return [.respond(status: 401, fields: [("WWW-Authenticate", field)])]
            }
            return [.respond(status: 200, fields: [("Authentication-Info", "qop=auth, nextnonce=\"\(next)\"")])]
        }
        store("ada", for: space(origin, .httpDigest))
        for _ in 0..<3 { #expect(try await status(origin) == 200) }
        #expect(origin.requests.map { Self.digest($0)?["nonce"] } == [nil, "1", "2", "3"])
        #expect(origin.requests.dropFirst().allSatisfy { Self.digest($0)?["nc"] == "00000001" })
    }

    @Test func `a wrong password is sent once in a task by Digest`() async throws {
        let origin = try digestOrigin()
        store("eve", for: space(origin, .httpDigest))
        for _ in 0..<2 { #expect(try await status(origin) == 401) }
        #expect(origin.requests.count == 4)
    }

    @Test func `the domain of a challenge bounds it, and names no other origin`() async throws {
        let other = try digestOrigin()
        let origin = try digestOrigin(", domain=\"/a http://127.0.0.1:\(other.port)/ //127.0.0.1/x ftp://x/\"")
        for server in [origin, other] { store("ada", for: space(server, .httpDigest)) }
        for target in ["/a/x", "/ab", "/b", "/b"] { #expect(try await status(origin, target) == 200) }
        #expect(sent(origin) == [nil, "digest", "digest", nil, "digest", nil, "digest"])
        #expect(try await status(other) == 200)
        #expect(sent(other) == [nil, "digest"])
    }

    @Test func `content goes along with the first request where the password is known`() async throws {
        let origin = try digestOrigin()
        store("ada", for: space(origin, .httpDigest))
        #expect(try await status(origin) == 200)
        var request = try URLRequest(origin)
        request.httpMethod = "POST"
        request.httpBody = Data("content".utf8)
        #expect(try await session.data(for: request).1.statusCode == 200)
        #expect(origin.requests.count == 3 && origin.requests.last?.body == Array("content".utf8))
    }

    @Test func `what is learned of an origin and of origins has limits`() async throws {
        let spaces = AuthenticatedSpaces()
        let password = PasswordCredential(user: "ada", password: "p")
        func login(_ port: Int, _ realm: String) throws -> PasswordLogin {
            try #require(
                PasswordLogin(
                    password, for: try URLRequest(string: "http://a.test:\(port)/"),
                    answering: HTTPChallenge.challenges(in: [Array("Basic realm=\(realm)".utf8)])))
        }
        for port in 1...1_001 { spaces.add(try login(port, "r"), for: "/") }
        #expect(spaces.login(for: try login(1, "r").origin, "/") == nil)
        #expect(spaces.login(for: try login(2, "r").origin, "/") != nil)
        let origin = try login(2, "r").origin
        for number in 0..<40 { spaces.add(try login(2, "\(number)"), for: "/\(number)/x") }
        #expect(spaces.login(for: origin, "/1/y") == nil && spaces.login(for: origin, "/39/y") != nil)
        for number in 0..<40 { spaces.add(try login(3, "r3"), for: "/\(number)/x") }
        let third = try login(3, "r3").origin
        #expect(spaces.login(for: third, "/39/y")?.space.realm == "r3")
        #expect(spaces.login(for: third, "*") == nil)
    }
}
