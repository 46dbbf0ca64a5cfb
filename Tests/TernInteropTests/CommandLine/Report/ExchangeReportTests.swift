// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@Suite struct ExchangeReportTests {
    @Test func `--report-json prints every key of a success`() async throws {
        let server = try await NginxServer(files: ["a.txt": Data("letter".utf8)])
        let folder = try TemporaryFolder()
        let anchors = try folder.write(server.authority.certificatePEM, to: "ca.pem")
        let result = try await TernTool.run("get", "--report-json", server.secureURL("/a.txt"), "--cacert", anchors)
        let object = try result.object()
        #expect(
            Set(object.keys).isSuperset(of: [
                "url", "status", "reason", "version", "headers", "body_base64", "trailers", "discarded_trailers",
                "connection", "timeline", "error",
            ]))
        #expect(object["status"] as? Int == 200)
        #expect(object["version"] as? String == "HTTP/1.1")
        #expect(object["body_base64"] as? String == Data("letter".utf8).base64EncodedString())
        #expect(object["error"] is NSNull)
        let headers = try #require(object["headers"] as? [[String]])
        #expect(headers.contains(["Content-Length", "6"]))
        let connection = try #require(object["connection"] as? [String: Any])
        #expect(connection["reused"] as? Bool == false)
        #expect((connection["remote"] as? String)?.hasSuffix(":\(server.securePort)") == true)
        let tls = try #require(connection["tls"] as? [String: Any])
        #expect(tls["version"] as? String == "TLSv1.3")
        #expect(tls["resumed"] as? Bool == false)
        #expect(tls["group"] as? String != nil)
        #expect(tls["signature_algorithm"] as? String == "ecdsa_secp256r1_sha256")
        #expect(tls["spki_sha256"] as? [String] == [server.identity.pin, server.authority.pin])
        let timeline = try #require(object["timeline"] as? [String: Any])
        #expect(try #require(timeline["total"] as? Double) > 0)
    }

    @Test func `--report-json shows trailers and informational responses`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nhi\r\n0\r\nX-Checksum: 7\r\nVary: *\r\n\r\n")
            ]
        }
        let object = try await TernTool.run("get", "--report-json", origin.url("/")).object()
        #expect(object["trailers"] as? [[String]] == [["X-Checksum", "7"]])
        #expect(object["discarded_trailers"] as? [[String]] == [["Vary", "*"]])
        let told = try await TernTool.run("get", "-v", origin.url("/"))
        #expect(told.errors.contains("< (trailer) X-Checksum: 7\n< (discarded trailer) Vary: *"))
        let informational = try #require(object["informational"] as? [[String: Any]])
        #expect(informational.map { $0["status"] as? Int } == [103])
    }
}
