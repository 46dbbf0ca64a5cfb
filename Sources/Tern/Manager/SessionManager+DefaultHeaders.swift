// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension SessionManager {
    /// The fields that ``default`` sends: `User-Agent` with the process's name, and `Accept-Language` with its six
    /// preferred languages. `Accept-Encoding` is not among them: the engine adds it to each request whose response it
    /// would decode.
    public static let defaultHTTPHeaders: HTTPHeaders = {
        var headers = ["User-Agent": userAgent(processName: ProcessInfo.processInfo.processName)]
        headers["Accept-Language"] = acceptLanguage(Locale.preferredLanguages)
        return headers
    }()

    /// Each language with a weight a tenth below the one before; nil without languages (RFC 9110 §12.5.4).
    static func acceptLanguage(_ languages: [String]) -> String? {
        let ranges = languages.prefix(6).enumerated().map { index, language in
            "\(language);q=\(Double(10 - index) / 10)"
        }
        return ranges.isEmpty ? nil : ranges.joined(separator: ", ")
    }

    /// Products are tokens (RFC 9110 §10.1.5), process names are not always.
    static func userAgent(processName: String) -> String {
        let token = String(
            processName.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "-" })
        return token.isEmpty ? "Tern" : "\(token) (Linux) Tern"
    }
}

extension SessionConfiguration {
    static var withDefaultHeaders: SessionConfiguration {
        var configuration = SessionConfiguration.default
        for (name, value) in SessionManager.defaultHTTPHeaders.sorted(by: { $0.key < $1.key }) {
            configuration.httpAdditionalHeaders[name] = value
        }
        configuration.httpCookieStorage = .shared
        return configuration
    }
}
