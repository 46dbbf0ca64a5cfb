// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension ProxySettings {
    /// The proxies that a dictionary of CFNetwork names.
    init(connectionProxyDictionary dictionary: [AnyHashable: Any]) {
        let http = Proxy(.http, "HTTP", in: dictionary)
        let https = Proxy(.http, "HTTPS", in: dictionary)
        let socks = Proxy(.socks5h, "SOCKS", in: dictionary)
        let exceptions = ProxyExceptions(
            patterns: dictionary["ExceptionsList"] as? [String] ?? [],
            excludesSimpleHostnames: isSet("ExcludeSimpleHostnames", in: dictionary))
        self.init(http: http ?? socks, https: https ?? socks, except: exceptions)
    }
}

extension Proxy {
    /// Nil for one that is not enabled, or has no host.
    fileprivate init?(_ kind: Kind, _ prefix: String, in dictionary: [AnyHashable: Any]) {
        guard isSet(prefix + "Enable", in: dictionary), let host = dictionary[prefix + "Proxy"] as? String,
            !host.isEmpty
        else { return nil }
        self.init(kind, host: host, port: number(prefix + "Port", in: dictionary).flatMap { UInt16(exactly: $0) })
        guard let user = dictionary["kCFProxyUsernameKey"] as? String else { return }
        credential = PasswordCredential(
            user: user, password: dictionary["kCFProxyPasswordKey"] as? String ?? "")
    }
}

private func isSet(_ key: String, in dictionary: [AnyHashable: Any]) -> Bool {
    dictionary[key] as? Bool ?? (number(key, in: dictionary) == 1)
}

private func number(_ key: String, in dictionary: [AnyHashable: Any]) -> Int? {
    (dictionary[key] as? any BinaryInteger).map { Int(clamping: $0) }
}
