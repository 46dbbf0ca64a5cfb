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

    @Test func `a response with many certificates or answers, or of many bytes, is not read`() throws {
        func response(certificates: Int, answers: Int, more: Int = 0) -> OCSPResponse {
            func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
                DERElements.element(tag, parts.flatMap(\.self))
            }
            func list(_ count: Int) -> [UInt8] {
                element(0x30, [UInt8](repeatElement([0x30, 0], count: count).joined()))
            }
            let data = element(0x30, element(0xa1), list(answers))
            let signature = element(0x03, [UInt8](repeating: 0, count: more))
            let basic = element(0x30, data, element(0x30), signature, element(0xa0, list(certificates)))
            let named = element(0x30, element(0x06, [1]), element(0x04, basic))
            return OCSPResponse(der: element(0x30, element(0x0a, [0]), element(0xa0, named)))
        }
        for (certificates, answers, more, isModest) in [
            (0, 1, 0, true), (4, 16, 0, true), (5, 1, 0, false), (0, 17, 0, false), (1, 1, 17_000, false),
            (1, 1, 16_000, true), (2000, 1, 0, false),
        ] {
            let response = response(certificates: certificates, answers: answers, more: more)
            #expect(response.isModest == isModest, "\(certificates) \(answers) \(more)")
            for count in stride(from: 0, to: min(200, response.der.count), by: 1) {
                #expect(!OCSPResponse(der: Array(response.der.prefix(count))).isModest)
            }
        }
        #expect(
            response(certificates: 4, answers: 1).readingCost > response(certificates: 0, answers: 1).readingCost + 200)
        let root = try CertificateAuthority()
        let (leaf, responder) = (try root.issue(), try root.issue())
        for signer in [nil, responder] {
            #expect(OCSPResponse(der: try root.ocspResponse(about: leaf, .good, signedBy: signer)).isModest)
        }
    }
}
