// SPDX-License-Identifier: Apache-2.0
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct SessionManagerDefaultHeadersTests {
    @Test(.proves("2.3b")) func `the default manager says who it is`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        _ = try await Tern.request(origin.url()).serializingData().value
        let seen = try #require(origin.requests.first)
        #expect(seen.value(of: "User-Agent") == SessionManager.defaultHTTPHeaders["User-Agent"])
        #expect(seen.value(of: "Accept-Language") == SessionManager.defaultHTTPHeaders["Accept-Language"])
        #expect(seen.value(of: "Accept") == "*/*")
        #expect(seen.value(of: "Accept-Encoding") == "gzip, deflate")
    }

    @Test(.proves("2.3a")) func `six languages at most, each a tenth less wanted than the one before`() {
        #expect(SessionManager.acceptLanguage(["de-DE"]) == "de-DE;q=1.0")
        #expect(
            SessionManager.acceptLanguage(["a", "b", "c", "d", "e", "f", "g"])
                == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
        #expect(SessionManager.acceptLanguage([]) == nil)
    }

    @Test(.proves("2.3c")) func `a process name becomes a token`() {
        #expect(SessionManager.userAgent(processName: "my-tool") == "my-tool (Linux) Tern")
        #expect(SessionManager.userAgent(processName: "mein töpfer\r\nX: y") == "mein-t-pfer-X--y (Linux) Tern")
        #expect(SessionManager.userAgent(processName: "") == "Tern")
    }
}
