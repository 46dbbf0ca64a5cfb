// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct InvalidRequestTests {
    private static let long = String(repeating: "x", count: 60_000)

    @Test(arguments: [
        InvalidRequest.invalidHost(long), .invalidPort(long), .unsupportedScheme(long), .malformedURL(long),
        .invalidHost("[" + String(repeating: "1:", count: 30_000) + "]"),
        .invalidHost("a" + String(repeating: "\u{301}", count: 60_000)),
    ])
    func `a message quotes 100 characters at most`(error: InvalidRequest) {
        for message in ["\(error)", "\(SessionError(.request(.invalid(error)), phase: .request))"] {
            #expect(message.unicodeScalars.count < 300)
            #expect(message.contains("\u{2026}\""))
        }
    }

    @Test func `a short text is quoted whole, and a host has no more bytes than a name may have`() throws {
        #expect("\(InvalidRequest.invalidPort("x"))" == "\"x\" is not a port from 1 to 65535")
        let hundred = String(repeating: "y", count: 100)
        #expect("\(InvalidRequest.invalidHost(hundred))".contains("\"\(hundred)\""))
        let address = "[" + String(repeating: "1:", count: 1000) + "]"
        #expect(throws: InvalidRequest.invalidHost(address)) { try Destination(absoluteString: "http://\(address)/") }
        let origin = HTTPOrigin(scheme: .https, host: String(repeating: "z", count: 250), port: 443)
        for error in [RedirectError.loop(origin), .insecure(origin)] { #expect("\(error)".utf8.count < 200) }
    }
}
