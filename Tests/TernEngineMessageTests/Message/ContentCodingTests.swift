// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct ContentCodingTests {
    private func applied(_ values: [String]) -> AppliedCodings { AppliedCodings(in: values.map { Array($0.utf8) }) }

    @Test(arguments: [
        (["gzip"], [ContentCoding.gzip]),
        (["x-gzip"], [.gzip]),
        (["GZip"], [.gzip]),
        (["deflate"], [.deflate]),
        (["identity"], []),
        ([], []),
        ([""], []),
        (["deflate, gzip"], [.deflate, .gzip]),
        (["deflate", "gzip"], [.deflate, .gzip]),
        ([" \tgzip\t ,, identity,\tX-GZIP ,"], [.gzip, .gzip]),
    ])
    func `knows the codings of a message, in the order applied`(values: [String], codings: [ContentCoding]) {
        #expect(applied(values).decodable == codings)
    }

    @Test(arguments: [
        "compress", "aes128gcm", "dcb", "gzip, compress", "compress, gzip", "gzip;q=1", "gz ip", "\"gzip\"", "gzıp",
        "gzip\u{0}",
    ])
    func `takes nothing off where one coding is unknown`(value: String) {
        #expect(applied([value]).decodable == [] && applied(["gzip", value]).decodable == [])
    }

    @Test func `asks for what it knows`() {
        #expect(applied([ContentCoding.acceptEncoding]).decodable == ContentCoding.allCases)
        #expect(ContentCoding.acceptEncoding.hasPrefix("gzip, deflate"))
    }

    @Test func `br and zstd are known where their traits are turned on`() {
        var (known, unknown) = (["gzip", "deflate"], [String]())
        #if Brotli
            known.append("br")
        #else
            unknown.append("br")
        #endif
        #if Zstd
            known.append("zstd")
        #else
            unknown.append("zstd")
        #endif
        #expect(ContentCoding.acceptEncoding == known.joined(separator: ", "))
        for name in known { #expect(applied([name.uppercased()]).decodable.map(\.rawValue) == [name]) }
        for name in unknown { #expect(applied(["gzip", name]).decodable == []) }
    }

    @Test(
        arguments: [
            ([], true), (["identity"], true), (["IDENTITY, identity"], true), ([""], true), (["gzip"], false),
            (["identity", "gzip"], false), (["identity, br"], false),
            ([String(repeating: "identity,", count: 17)], false),
            ([String(repeating: ",", count: 1025)], false),
        ] as [([String], Bool)])
    func `a body is not coded if its response names no coding but identity`(values: [String], isIdentity: Bool) throws {
        let fields = HeaderFields(values.map { HeaderField(name: "Content-Encoding", value: $0) })
        let codings = AppliedCodings(of: try ResponseHead(status: 200, fields: fields))
        #expect(codings.areIdentity == isIdentity && codings.areIdentity == applied(values).areIdentity)
    }
}
