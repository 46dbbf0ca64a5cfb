// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct RevocationDataTests {
    private static let asked = RevocationQuestion.list(url: "http://a.test/")
    private static let other = RevocationQuestion.list(url: "http://b.test/")

    @Test func `answers are missing only if it is known what was asked`() {
        var data = RevocationData()
        #expect(!data.lacksAnswers(to: [Self.asked]))
        data.askedQuestions = [Self.asked]
        #expect(!data.lacksAnswers(to: []))
        #expect(!data.lacksAnswers(to: [Self.asked]))
        #expect(data.lacksAnswers(to: [Self.asked, Self.other]))
    }

    @Test func `an answer is added to the data of its kind, and none adds nothing`() throws {
        var data = RevocationData()
        data.take(.none)
        #expect(data.responses.isEmpty && data.lists.isEmpty)
        data.take(.response(OCSPResponse(der: [1])))
        #expect(data.responses.map(\.der) == [[1]])
        let list = try CertificateRevocationList(der: CertificateAuthority().revocationList(revoking: []))
        data.take(.list(list))
        #expect(data.lists == [list])
        #expect(data.stapledResponse == nil)
    }

    @Test func `the cost grows with each certificate, each response and each byte`() throws {
        let small = RevocationData(responses: [OCSPResponse(der: [1])])
        let staple = RevocationData(stapledResponse: OCSPResponse(der: [1]))
        let large = RevocationData(responses: [OCSPResponse(der: [UInt8](repeating: 0, count: 2000))])
        #expect(RevocationData().cost(ofEvaluating: 5) == 0)
        #expect(small.cost(ofEvaluating: 0) == 0)
        #expect(small.cost(ofEvaluating: -1) == 0)
        #expect(small.cost(ofEvaluating: 1) == staple.cost(ofEvaluating: 1))
        #expect(small.cost(ofEvaluating: 3) == 3 * small.cost(ofEvaluating: 1))
        #expect(large.cost(ofEvaluating: 1) > small.cost(ofEvaluating: 1))
    }
}
