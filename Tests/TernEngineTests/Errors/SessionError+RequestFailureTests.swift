// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct SessionErrorRequestFailureTests {
    private func failure(_ url: String, in session: Session = .limited()) async throws -> SessionError {
        let url = try #require(URL(string: url))
        return try #require(await session.failure(of: URLRequest(url: url)))
    }

    @Test(arguments: [
        ("ftp://example.com/", InvalidRequest.unsupportedScheme("ftp")), ("http:///", .invalidHost("")),
        ("http://localhost:0/", .invalidPort("0")), ("example.com", .unsupportedScheme("")),
    ])
    func `invalid URL`(_ url: String, _ invalidity: InvalidRequest) async throws {
        let error = try await failure(url)
        #expect(error.reason.invalidity == invalidity)
        #expect(error.phase == .request)
        #expect(error.origin == nil)
        #expect(error.remoteAddress == nil)
        #expect(!error.wasSent)
        #expect(error.reason.kind == .invalidRequest)
    }

    @Test func `no URL`() async throws {
        var request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        request.url = nil
        let error = await Session.limited().failure(of: request)
        #expect(error?.reason.invalidity == .missingURL)
    }
}
