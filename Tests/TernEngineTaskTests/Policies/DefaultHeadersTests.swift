// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A policy that signs the fields that it sees.
private struct Signing: HopPolicy {
    let interests = HopInterests.preparation

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        var request = hop.request
        request.headers["X-Signed"] = hop.request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
        return .change(request)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DefaultHeadersTests {
    private func fields(_ request: ReceivedRequest?) -> [String: [String]] {
        let names = ["Accept", "User-Agent", "Accept-Encoding", "X-Session", "X-Own", "X-Api-Key", "Range"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, request?.values(of: $0) ?? []) })
    }

    private func session(_ policies: [any HopPolicy]) -> Session {
        .limited(hopPolicies: policies) {
            $0.httpAdditionalHeaders = ["X-Session": "ours", "Accept": "text/plain", "X-Api-Key": "secret"]
            $0.sensitiveFields = ["X-Api-Key"]
        }
    }

    @Test func `a policy sees the session's fields beside the request's own, and adds one that depends on them`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = try URLRequest(origin)
        request.headers = ["X-Own": "1", "accept": "*/*"]
        _ = try await session([Signing()]).data(for: request)
        let signed = try #require(origin.requests.first?.value(of: "X-Signed"))
        let codings = ContentCoding.acceptEncoding
        #expect(signed == "X-Own=1;accept=*/*;X-Session=ours;X-Api-Key=secret;Accept-Encoding=\(codings)")
    }

    @Test func `the same fields are sent, once each, whether a policy prepares the hop or none does`() async throws {
        for range in [nil, "bytes=0-1"] {
            let origin = try ScriptedOrigin { _, _ in [.ok()] }
            var request = try URLRequest(origin)
            request.headers["X-Own"] = "1"
            request.headers["Range"] = range
            for policies in [[], [Signing()]] as [[any HopPolicy]] {
                _ = try await session(policies).data(for: request)
            }
            #expect(origin.requests.count == 2)
            #expect(fields(origin.requests.first) == fields(origin.requests.last))
            #expect(fields(origin.requests.last)["X-Session"] == ["ours"])
        }
    }

    @Test func `a policy sees no secret of the session on the way to another origin`() async throws {
        let other = try ScriptedOrigin { _, _ in [.ok()] }
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", other.url("/"))])] }
        _ = try await session([Signing()]).data(for: URLRequest(origin))
        #expect(origin.requests.first?.value(of: "X-Signed")?.contains("X-Api-Key") == true)
        let signed = try #require(other.requests.first?.value(of: "X-Signed"))
        #expect(signed.contains("X-Session=ours") && !signed.contains("X-Api-Key"))
        #expect(other.requests.first?.values(of: "X-Api-Key") == [])
    }
}
