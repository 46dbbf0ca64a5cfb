// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct ContentCodingHeadTests {
    @Test(
        arguments: [
            ([], true), (["identity"], true), (["IDENTITY, identity"], true), ([""], true), (["gzip"], false),
            (["identity", "gzip"], false), (["identity, br"], false),
        ] as [([String], Bool)])
    func `a body is not coded if its response names no coding but identity`(values: [String], isIdentity: Bool) throws {
        let fields = HeaderFields(values.map { HeaderField(name: "Content-Encoding", value: $0) })
        #expect(ContentCoding.isIdentity(try ResponseHead(status: 200, fields: fields)) == isIdentity)
    }
}
