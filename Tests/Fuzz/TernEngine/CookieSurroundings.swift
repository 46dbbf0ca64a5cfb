// SPDX-License-Identifier: Apache-2.0
// What `HTTPCookie` needs of the origin of a response. The targets read cookies without one.

struct CookieOrigin {
    let host: String
    let isSecure: Bool
    let isAddress: Bool
    let defaultPath: String

    func isWithin(domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    func isWithin(path: String) -> Bool { path == "/" }
}

enum PublicSuffixes {
    static func contains(_ domain: String) -> Bool { !domain.contains(".") }
}
