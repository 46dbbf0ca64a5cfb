// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The rules for responses that the options refuse.
struct ResponseRules: Sendable {
    var refusesErrors = false
    /// The body of one is written nevertheless.
    var refusesErrorsWithBody = false
    /// Whether a transient response with this Retry-After is followed by another attempt.
    var isRepeated: @Sendable (_ retryAfter: String?) -> Bool = { _ in false }
    var maximumBodySize: Int?
    /// The allowed schemes of redirects; nil allows all.
    var redirectSchemes: Set<String>?
    /// Whether the body is to be decoded.
    var decodes = false
    /// Whether the request of a redirect names the URL that led to it.
    var updatesReferer = false

    func refusal(ofRedirectTo scheme: String?) -> RefusedResponse? {
        guard let redirectSchemes, let scheme = scheme?.lowercased(), !redirectSchemes.contains(scheme) else {
            return nil
        }
        return .redirect(scheme: scheme)
    }

    /// The request that follows a redirect. No Referer leads from https to http (RFC 9110 §10.1.3).
    func followed(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest {
        guard updatesReferer, var url = response.url.flatMap({ URLComponents(url: $0, resolvingAgainstBaseURL: true) })
        else { return request }
        var next = request
        (url.user, url.password, url.fragment) = (nil, nil, nil)
        let isDowngrade = url.scheme?.lowercased() == "https" && request.url?.scheme?.lowercased() == "http"
        next.setValue(isDowngrade ? nil : url.string, forHTTPHeaderField: "Referer")
        return next
    }

    /// The heads that curl refuses with any options.
    func refusal(of response: HTTPURLResponse) -> RefusedResponse? {
        if (300..<400).contains(response.statusCode),
            Set(response.headers.lazy.filter { $0.name.lowercased() == "location" }.map(\.value)).count > 1
        {
            return .ambiguousLocation
        }
        guard decodes else { return nil }
        // As in curl, "none" is another name of "identity".
        return ContentCoding.unknown(in: response.headers.values(for: "Content-Encoding")).first { $0 != "none" }
            .map(RefusedResponse.unknownCoding)
    }

    /// - Parameters:
    ///   - length: the length of the body, if it is announced.
    ///   - retryAfter: the field of that name.
    func refusal(of status: Int, length: Int?, retryAfter: String? = nil) -> RefusedResponse? {
        if RetryRule.isTransient(status: status), isRepeated(retryAfter) { return .transient(status: status) }
        if refusesErrors, status >= 400 { return .status(status) }
        return length.flatMap(refusal(ofLength:))
    }

    func refusal(ofLength length: Int) -> RefusedResponse? {
        maximumBodySize.flatMap { length > $0 ? .tooLarge(limit: $0) : nil }
    }

    /// Once it is complete.
    func refusal(ofWhole status: Int) -> RefusedResponse? {
        refusesErrorsWithBody && status >= 400 ? .status(status) : nil
    }
}

/// A response that the options refuse.
enum RefusedResponse: ReportedFailure, CustomStringConvertible {
    /// `-f` and `--fail-with-body`.
    case status(Int)
    /// `--max-filesize`.
    case tooLarge(limit: Int)
    /// `--proto` and `--proto-redir`.
    case redirect(scheme: String)
    /// It has several `Location` fields that differ.
    case ambiguousLocation
    /// `--compressed` asked for another coding.
    case unknownCoding(String)
    /// It will be requested again.
    case transient(status: Int)

    var description: String {
        switch self {
        case .status(let status), .transient(let status): "the server answered \(status)"
        case .redirect(let scheme): "the redirect leads to \(scheme), which --proto and --proto-redir do not allow"
        case .ambiguousLocation: "the response has several Location fields that differ"
        case .unknownCoding(let coding): "the body's coding \(coding.prefix(100)) is unknown"
        case .tooLarge(let limit): "the body exceeds the \(limit) bytes of --max-filesize"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .status, .transient: .refusedStatus
        case .tooLarge: .tooLarge
        case .redirect: .failure
        case .ambiguousLocation: .strangeResponse
        case .unknownCoding: .undecodable
        }
    }

    func message(asking url: String?) -> String {
        guard case .status = self, let url else { return "\(self)" }
        return "\(self) to \(url)"
    }

    /// A stable word for the case, as in the engine's errors.
    var kind: String {
        switch self {
        case .status, .transient: "http-status"
        case .redirect, .ambiguousLocation: "redirect"
        case .unknownCoding: "undecodable"
        case .tooLarge: "body-too-large"
        }
    }

    var phase: String {
        switch self {
        case .status, .transient, .redirect, .ambiguousLocation, .unknownCoding: "head"
        case .tooLarge: "body"
        }
    }
}
