// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct OriginTests {
    @Test func `Origins are equal in scheme, host and port`() {
        let origin = HTTPOrigin(scheme: .http, host: "a", port: 80)
        #expect(origin == HTTPOrigin(scheme: .http, host: "A", port: 80))
        #expect(origin != HTTPOrigin(scheme: .https, host: "a", port: 80))
        #expect(origin != HTTPOrigin(scheme: .http, host: "b", port: 80))
        #expect(origin != HTTPOrigin(scheme: .http, host: "a", port: 81))
        let origins: Set = [
            origin, HTTPOrigin(scheme: .http, host: "A", port: 80), HTTPOrigin(scheme: .http, host: "b", port: 80),
        ]
        #expect(origins.count == 2)
    }

    @Test func `A host is lower-case and bare`() {
        #expect(HTTPOrigin(scheme: .http, host: "[2001:DB8::1]", port: 80).host == "2001:db8::1")
        #expect(HTTPOrigin(scheme: .http, host: "EXAMPLE.com", port: 80).host == "example.com")
    }

    @Test func `Only ASCII letters of a host have case`() {
        #expect(HTTPOrigin(scheme: .http, host: "\u{212A}", port: 80).host == "\u{212A}")
    }

    @Test func `An origin describes itself as a URI`() {
        #expect("\(HTTPOrigin(scheme: .https, host: "a", port: 443))" == "https://a")
        #expect("\(HTTPOrigin(scheme: .http, host: "::1", port: 81))" == "http://[::1]:81")
    }

    @Test func `Schemes have their ports`() {
        #expect(HTTPOrigin.Scheme.http.defaultPort == 80)
        #expect(HTTPOrigin.Scheme.https.defaultPort == 443)
    }
}
