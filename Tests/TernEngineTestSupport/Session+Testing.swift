// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

extension URLRequest {
    /// A request for a path of `origin`.
    init(
        _ origin: ScriptedOrigin, _ path: String = "/", method: String? = nil, body: Data? = nil, host: String? = nil
    ) throws {
        self.init(url: try #require(URL(string: origin.url(path, host: host))))
        if let method { httpMethod = method }
        httpBody = body
    }

    func limited(to timeouts: Timeouts) -> URLRequest {
        var request = self
        request.timeouts = timeouts
        return request
    }
}

extension Session {
    /// A session that is set up by `change`; by default with one connection per host, and a reactor that no other test
    /// keeps busy.
    static func limited(
        to connections: Int = 1, policies: [String: ServerTrustPolicy]? = nil, hopPolicies: [any HopPolicy] = [],
        sources: [any ResponseSource]? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.reactorCount = 1
        change(&configuration)
        return Session(
            configuration: configuration, delegate: nil,
            serverTrustPolicyManager: policies.map { ServerTrustPolicyManager(policies: $0) },
            firstPolicies: hopPolicies, sources: sources)
    }

    /// A session that trusts only `authority`.
    static func trusting(
        _ authority: CertificateAuthority, connections: Int = 1, policies: [String: ServerTrustPolicy]? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        let anchor = try X509Certificate(pem: authority.certificatePEM)
        return limited(to: connections, policies: policies) {
            $0.tls.anchors = .only([anchor])
            change(&$0)
        }
    }

    /// The body of a GET as text.
    func text(_ request: URLRequest) async throws(SessionError) -> String {
        String(decoding: try await data(for: request).0, as: UTF8.self)
    }

    /// The error that `request` ends with; nil for a success.
    func failure(of request: URLRequest) async -> SessionError? {
        do throws(SessionError) {
            _ = try await data(for: request)
            return nil
        } catch {
            return error
        }
    }
}

extension SessionError.Reason {
    var isCancellation: Bool { if case .cancelled = self { true } else { false } }
    var isConnectionLoss: Bool { if case .transfer(.connectionLost) = self { true } else { false } }
    var isInvalidation: Bool { if case .sessionInvalidated = self { true } else { false } }
    var limit: SessionError.TimeLimit? { if case .timedOut(let limit) = self { limit } else { nil } }
    var redirection: RedirectError? { if case .transfer(.redirect(let error)) = self { error } else { nil } }
    var malformation: HTTPProtocolError? {
        if case .transfer(.malformedResponse(let error)) = self { error } else { nil }
    }
    var invalidity: InvalidRequest? { if case .request(.invalid(let error)) = self { error } else { nil } }
    var trustFailure: TrustFailure? {
        if case .connecting(.insecure(let error)) = self { error.trustFailure } else { nil }
    }
}

extension Session {
    /// No connection carries a request or waits for one, and no task is listed or held, not one of the library's either.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
        let isDone = await eventually {
            let gauges = connectionGauges
            return gauges.leased + gauges.opening + gauges.waiting == 0 && allTasks.isEmpty && ownTasks.isEmpty
        }
        if isDone { return }
        let gauges = connectionGauges
        Issue.record(
            """
            \(gauges.leased) leased, \(gauges.opening) opening, \(gauges.waiting) waiting, \(allTasks.count) listed, \
            \(ownTasks.count) of the library
            """, sourceLocation: sourceLocation)
    }
}
