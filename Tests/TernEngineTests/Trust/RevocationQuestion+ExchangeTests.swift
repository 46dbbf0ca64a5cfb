// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite struct RevocationQuestionExchangeTests {
    private static let question = RevocationQuestion.ocsp(url: "http://a.test/", request: [1, 2])
    private static let list = RevocationQuestion.list(url: "http://a.test/")

    private func answer(_ question: RevocationQuestion, _ status: Int, _ body: [UInt8]) async -> RevocationAnswer {
        await withCheckedContinuation { continuation in
            question.read(SideResponse(statusCode: status, body: Data(body))) { continuation.resume(returning: $0) }
        }
    }

    @Test func `a responder is asked with a POST, and a list with a GET`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let request = Self.question.request(to: url)
        #expect(request.httpMethod == "POST")
        #expect(request.httpBody == Data([1, 2]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/ocsp-request")
        #expect(Self.list.request(to: url).httpMethod == "GET")
        #expect(Self.list.sizeLimit > Self.question.sizeLimit)
    }

    @Test func `only status 200 is an answer, and only a list is a list`() async throws {
        guard case .response(let response) = await answer(Self.question, 200, [7]) else {
            Issue.record("no response")
            return
        }
        #expect(response.der == [7])
        for status in [204, 206, 404] {
            guard case .none = await answer(Self.question, status, [7]) else {
                Issue.record("\(status) is an answer")
                return
            }
        }
        let der = try CertificateAuthority().revocationList(revoking: [])
        guard case .none = await answer(Self.list, 200, [7]), case .list = await answer(Self.list, 200, der) else {
            Issue.record("another answer")
            return
        }
    }
}
