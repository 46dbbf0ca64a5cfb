// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension HeaderFields {
    /// Foundation's view of a header section: the values of repeats joined with a comma, whatever the case of their names.
    /// The names of standards are written as Foundation writes them, in any case that they came in, so that
    /// `dictionary["Content-Type"]` finds a `content-type`; other names as first written.
    var dictionary: [String: String] {
        var spellings: [String: String] = [:]
        var values: [String: String] = [:]
        for field in self {
            let key = field.name.lowercased()
            let name = spellings[key] ?? Self.standardNames[key] ?? field.name
            spellings[key] = name
            values[name] = values[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return values
    }

    /// By their lower case.
    private static let standardNames: [String: String] = {
        let names = """
            a-im accept accept-additions accept-ch accept-charset accept-datetime accept-encoding accept-features
            accept-language accept-patch accept-post accept-ranges access-control access-control-allow-credentials
            access-control-allow-headers access-control-allow-methods access-control-allow-origin
            access-control-expose-headers access-control-max-age access-control-request-headers
            access-control-request-method age allow alt-svc authentication-info authorization cache-control connection
            content-disposition content-encoding content-id content-language content-length content-location
            content-md5 content-range content-security-policy content-transfer-encoding content-type content-version
            cookie date dav depth destination digest dnt etag expect expires forwarded from host if if-match
            if-modified-since if-none-match if-range if-unmodified-since keep-alive last-modified link location
            lock-token max-forwards message-id mime-version origin overwrite pragma prefer preference-applied
            proxy-authenticate proxy-authentication-info proxy-authorization proxy-connection public-key-pins
            public-key-pins-report-only range referer referrer-policy retry-after sec-websocket-accept
            sec-websocket-extensions sec-websocket-key sec-websocket-protocol sec-websocket-version server set-cookie
            slug soapaction status strict-transport-security te timeout topic trailer transfer-encoding ttl upgrade
            urgency user-agent vary version via www-authenticate want-digest warning
            """
        let spelled = names.split(whereSeparator: \.isWhitespace).map { name in
            let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return (String(name), words.joined(separator: "-"))
        }
        // The exception.
        return Dictionary(spelled) { $1 }.merging(["www-authenticate": "WWW-Authenticate"]) { $1 }
    }()
}
