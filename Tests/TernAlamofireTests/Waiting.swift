// SPDX-License-Identifier: Apache-2.0
// Call sites that wait for what is still to be built. Nothing here is compiled.
#if false
    import Foundation
    import TernAlamofire
    import Testing

    @Suite struct Waiting {
        @Test func `cookies: a session stores them and sends them`() {
            let configuration = URLSessionConfiguration.default
            configuration.httpCookieStorage = HTTPCookieStorage.shared
            let cookie = HTTPCookie(properties: [.domain: "httpbin.org", .path: "/post", .name: "foo", .value: "bar"])!
            SessionManager(configuration: configuration).session.configuration.httpCookieStorage?.setCookie(cookie)
        }

        @Test func `caches: a response to be stored is shown to a closure`() {
            SessionManager.default.delegate.dataTaskWillCacheResponse = { _, _, response in
                CachedURLResponse(response: response.response, data: response.data, storagePolicy: .allowedInMemoryOnly)
            }
        }

        @Test func `stored credentials: the storage of a session is asked for the default one`() {
            let space = URLProtectionSpace(host: "httpbin.org", port: 443, protocol: "https")
            let session = SessionManager.default.session
            _ = session.configuration.urlCredentialStorage?.defaultCredential(for: space)
            _ = URLCredentialStorage.shared
        }
    }
#endif
