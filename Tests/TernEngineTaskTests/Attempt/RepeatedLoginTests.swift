// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What has a hop sent again after a login.
enum Resending: CaseIterable, Sendable {
    case retryAfter503, retryAfterLoss, repeatOfDeadConnection, retryOnAnotherConnection, hedge, withoutExpectation
    case answerToProxy, wrongNotModified, waitForNetwork

    /// What the server does with the first request that has logged in.
    func steps(_ request: ReceivedRequest) -> [OriginStep] {
        switch self {
        case .retryAfter503: [.respond(status: 503)]
        case .retryAfterLoss, .waitForNetwork: [.closeAbruptly]
        case .repeatOfDeadConnection: [.reset]
        case .retryOnAnotherConnection: [.respond(status: 421)]
        case .hedge: [.hold, .ok("late")]
        case .withoutExpectation: [.respond(status: 417)]
        case .answerToProxy: [.respond(status: 407, fields: [("Proxy-Authenticate", "Basic realm=p")])]
        case .wrongNotModified: [.respond(status: 304)]
        }
    }

    /// The request that is refused before it: its connection is not used again where the next one is not to be a repeat.
    var closesFirst: Bool { self == .retryAfterLoss || self == .waitForNetwork }

    func change(_ configuration: inout SessionConfiguration) {
        switch self {
        case .retryAfter503, .retryAfterLoss, .retryOnAnotherConnection:
            configuration.retryPolicy = .standard
            configuration.retryPolicy.backOff.base = .milliseconds(1)
        case .repeatOfDeadConnection, .waitForNetwork, .withoutExpectation, .answerToProxy: break
        case .hedge: configuration.retryPolicy.hedging = .after(.milliseconds(20))
        case .wrongNotModified: configuration.urlCache = URLCache(memoryCapacity: 1 << 20)
        }
    }
}

/// Has a hop wait once that has lost its connection, as for the network.
private struct WaitingOnce: HopPolicy {
    let interests = HopInterests.failures

    private struct Memory: PolicyMemory {
        var hasWaited = false
    }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        if history[Memory.self].hasWaited { return .pass }
        history[Memory.self].hasWaited = true
        let lookup: HopLookup = { completion in
            completion(.ready)
            return {}
        }
        return .wait(until: lookup, isFirst: true)
    }
}

/// How a request logs in.
enum LoginKind: CaseIterable, Sendable {
    case basic, digest, digestSHA256, stored, urlPassword, proxyDigest

    var challenge: String {
        switch self {
        case .basic: "Basic realm=r"
        case .digest, .stored, .urlPassword, .proxyDigest: "Digest realm=r, qop=auth, algorithm=MD5"
        case .digestSHA256: "Digest realm=r, qop=auth, algorithm=SHA-256"
        }
    }
}

/// A server, or a proxy, that requests a login and refuses what it has seen before (RFC 7616 §3.4).
private final class Gate: Sendable {
    private struct State {
        var nonceCount = 0
        var uses: [(nonce: String, count: Int)] = []
        var loginCount = 0
    }

    private let kind: LoginKind
    private let state = Lock(State())

    init(_ kind: LoginKind) { self.kind = kind }

    private var isOfProxy: Bool { kind == .proxyDigest }

    /// The uses of nonces, in order.
    var uses: [(nonce: String, count: Int)] { state.withLock { $0.uses } }

    /// How many requests have logged in, this one included; nil for one that has not.
    func pass(_ request: ReceivedRequest) -> Int? {
        let values = request.values(of: isOfProxy ? "Proxy-Authorization" : "Authorization")
        guard let field = HTTPChallenge.challenges(in: values).first else { return nil }
        let nonce = field["nonce"].map { ($0, field["nc"].flatMap { Int($0, radix: 16) } ?? 0) }
        return state.withLock { state in
            if let (nonce, count) = nonce {
                let isReplay = state.uses.contains { $0 == (nonce, count) }
                state.uses.append((nonce, count))
                if isReplay { return nil }
            } else if kind != .basic {
                return nil
            }
            state.loginCount += 1
            return state.loginCount
        }
    }

    func challenge(closing: Bool) -> [OriginStep] {
        let nonce = state.withLock { state in
            state.nonceCount += 1
            return "n\(state.nonceCount)"
        }
        let name = isOfProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        let value = kind.challenge + (kind == .basic ? "" : ", nonce=\(nonce)")
        let refusal = OriginStep.respond(
            status: isOfProxy ? 407 : 401, fields: [(name, value)] + (closing ? [("Connection", "close")] : []))
        return [refusal] + (closing ? [.close] : [])
    }
}

/// Each request that is sent has a login of its own: a server that refuses a use of a nonce which it has seen sees none
/// twice, whatever has a hop sent again.
@Suite(.timeLimit(.minutes(1))) struct RepeatedLoginTests {
    /// How one task ended, and what the server has seen of its nonces.
    private func run(_ way: Resending, _ kind: LoginKind) async throws -> (text: String, uses: [(String, Int)]) {
        let gate = Gate(kind)
        let origin = try ScriptedOrigin { _, request in
            if request.target.hasSuffix("/before") {
                return gate.pass(request) == nil ? gate.challenge(closing: false) : [.ok()]
            }
            let first = kind == .stored ? 2 : 1
            guard let number = gate.pass(request) else { return gate.challenge(closing: way.closesFirst) }
            return number == first ? way.steps(request) : [.ok("in")]
        }
        let isProxied = kind == .proxyDigest || way == .answerToProxy
        let storage = CredentialStorage()
        let session = Session.limited(to: 4, hopPolicies: way == .waitForNetwork ? [WaitingOnce()] : []) {
            way.change(&$0)
            if kind == .stored { $0.urlCredentialStorage = storage }
            guard isProxied else { return }
            var proxy = Proxy(.http, host: "127.0.0.1", port: origin.port)
            proxy.credential = PasswordCredential(
                user: "p", password: "p", schemes: kind == .proxyDigest ? .digest : .all)
            $0.proxySettings = ProxySettings(proxy)
        }
        let login = kind == .urlPassword ? "u:p@" : ""
        let place = isProxied ? "http://\(login)a.test" : "http://\(login)127.0.0.1:\(origin.port)"
        var request = try URLRequest(string: place + "/p")
        switch kind {
        case .basic, .digest, .digestSHA256: request.credential = PasswordCredential(user: "u", password: "p")
        case .urlPassword, .proxyDigest: break
        case .stored:
            let space = ProtectionSpace(
                host: isProxied ? "a.test" : "127.0.0.1", port: isProxied ? 80 : Int(origin.port), protocol: "http",
                realm: "r", authenticationMethod: .httpDigest)
            storage.set(Credential(user: "u", password: "p", persistence: .forSession), for: space)
            _ = try await session.data(for: try URLRequest(string: place + "/before"))
        }
        if way == .withoutExpectation {
            request.httpMethod = "PUT"
            request.httpBody = Data("content".utf8)
            request.headers["Expect"] = "100-continue"
        }
        do throws(SessionError) {
            return (try await session.text(request), gate.uses)
        } catch {
            return ("\(error)", gate.uses)
        }
    }

    @Test(arguments: LoginKind.allCases)
    func `whatever has a hop sent again, a server sees no use of a nonce twice`(kind: LoginKind) async throws {
        for way in Resending.allCases where way != .answerToProxy || kind != .proxyDigest {
            let (text, uses) = try await run(way, kind)
            #expect(text == "in", "\(way): \(uses)")
            for (nonce, uses) in Dictionary(grouping: uses, by: \.0) {
                #expect(zip(uses, uses.dropFirst()).allSatisfy { $0.1 < $1.1 }, "\(way) \(nonce): \(uses)")
            }
            #expect(kind == .basic || uses.count >= 2, "\(way)")
        }
    }
}
