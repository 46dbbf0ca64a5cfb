// SPDX-License-Identifier: Apache-2.0
// Imports what a user imports: Foundation and Tern, nothing of this package below them. That it compiles is half the
// test.
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing

@Suite struct ExportsTests {
    @Test func `Foundation beside Tern leaves the shared names to Tern`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/x")))
        request.httpMethod = "PUT"
        request.setValue("a", forHTTPHeaderField: "X-Test")
        #expect(request.value(forHTTPHeaderField: "x-test") == "a")
        let responses: [HTTPURLResponse] = []
        #expect(responses.map(\.statusCode).isEmpty)
    }

    @Test func `Swift's Result is still Swift's`() {
        let result: Result<Int, SessionError> = .success(1)
        #expect(result.value == 1)
    }

    @Test func `the trust types of the lower modules are at hand`() throws {
        let key = try X509Certificate.PublicKey(pin: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        let policies = ServerTrustPolicyManager(policies: [
            "api.example.com": .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true)
        ])
        #expect(policies.serverTrustPolicy(forHost: "api.example.com") != nil)
        #expect(policies.serverTrustPolicy(forHost: "example.com") == nil)
    }

    @Test func `what a verdict says can be named`() {
        let findings: [CertificateFindings] = []
        let names: [SubjectAlternativeName] = []
        #expect(findings.isEmpty && names.isEmpty)
        #expect([OpenSSLError.self, TLSAlert.self, EvaluationLimit.self].count == 3)
    }

    @Test(.proves("2.1a")) func `an Alamofire 4 call site reads the same`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [(name: "Content-Type", value: "application/json")], body: #"{"args": {"foo": "bar"}}"#)]
        }
        let texts = AsyncStream.makeStream(of: String.self)
        Tern.request(origin.url("/get"), parameters: ["foo": "bar"]).validate().responseJSON { response in
            switch response.result {
            case .success(let json):
                let args = (json as? [String: Any])?["args"] as? [String: Any]
                texts.continuation.yield("\(args?["foo"] ?? "nothing")")
            case .failure(let error): texts.continuation.yield("\(error)")
            }
        }
        #expect(await texts.stream.first { _ in true } == "bar")
        #expect(origin.requests.first?.target == "/get?foo=bar")
    }
}
