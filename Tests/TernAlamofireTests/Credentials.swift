// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Credentials {
    @Test(.proves("4.8a", "4.9a")) func `a password is given when it is asked for`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == "Basic dXNlcjpwYXNzd29yZA=="
                ? [.ok("welcome")]
                : [
                    .pause(.milliseconds(200)),
                    .respond(status: 401, fields: [(name: "WWW-Authenticate", value: #"Basic realm="x""#)]),
                ]
        }
        let user = "user"
        let password = "password"
        let first: String? = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url("/basic-auth/\(user)/\(password)"))
                .authenticate(user: user, password: password)
                .responseString { continuation.resume(returning: $0.value) }
        }
        #expect(first == "welcome")

        let credential = URLCredential(user: user, password: password, persistence: .forSession)
        let second: String? = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url()).authenticate(usingCredential: credential)
                .responseString { continuation.resume(returning: $0.value) }
        }
        #expect(second == "welcome")

        var headers: HTTPHeaders = [:]
        if let authorizationHeader = Request.authorizationHeader(user: user, password: password) {
            headers[authorizationHeader.key] = authorizationHeader.value
        }
        #expect(headers == ["Authorization": "Basic dXNlcjpwYXNzd29yZA=="])
    }
}
