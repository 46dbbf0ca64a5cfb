// SPDX-License-Identifier: Apache-2.0
// What cookies need of the origin of a response. The targets read them without one.

struct CookieOrigin {
    let host: String
    let isSecure = true
    let isAddress = false
    let defaultPath = "/"

    init(secureHost: String) { host = HostName.canonical(secureHost) }

    func isWithin(domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }
}

enum PublicSuffixes {
    static func contains(_ domain: String) -> Bool { !domain.contains(".") }
}

enum CookieJar { static let maximumCount = 3000 }
