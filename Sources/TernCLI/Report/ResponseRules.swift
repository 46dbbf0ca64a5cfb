// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The rules for responses that the options refuse.
struct ResponseRules: Sendable {
    var refusesErrors = false
    /// The body of one is written nevertheless.
    var refusesErrorsWithBody = false
    var maximumBodySize: Int?
    /// The allowed schemes of redirects; nil allows all.
    var redirectSchemes: Set<String>?
    /// Whether the body is to be decoded.
    var decodes = false
    /// Whether the request of a redirect names the URL that led to it.
    var updatesReferer = false
    /// Whether credentials follow a redirect to another origin.
    var keepsCredentials = false
    /// The statuses after which a POST stays one.
    var keptPosts: Set<Int> = []
    /// The method that requests of redirects keep; nil for none.
    var keptMethod: String?
    /// Whether the content is that of a POST, whatever the method is: then such requests lose it.
    var hasPostContent = false
    /// Whether nothing but a part is wanted: that of `-r`, for a download.
    var wantsPart = false
    /// The speed below which a transfer fails.
    var speedLimit: SpeedLimit?
    /// The position from which a file is continued.
    var offset: Int64?
    /// Whether a file whose body breaks off is continued where it stopped.
    var continuesFile = false
    /// `-I`, whatever the method: the body is not wanted.
    var wantsHeadAlone = false
    /// The condition of `-z`.
    var timeCondition: TimeCondition?

    func refusal(ofRedirectTo scheme: String?) -> RefusedResponse? {
        guard let redirectSchemes, let scheme = scheme?.lowercased(), !redirectSchemes.contains(scheme) else {
            return nil
        }
        return .redirect(scheme: scheme)
    }

    /// The request that follows a redirect. No Referer leads from https to http (RFC 9110 §10.1.3).
    ///
    /// - Parameters:
    ///   - original: the first request of the chain.
    ///   - sent: the one that `response` answers.
    func followed(
        _ request: URLRequest, after response: HTTPURLResponse, original: URLRequest, sent: URLRequest
    ) -> URLRequest {
        var next = request
        if keepsCredentials { next.restoreCredentials(of: original) }
        if keptPosts.contains(response.statusCode), sent.httpMethod == "POST", next.httpMethod == "GET" {
            next.repeatPost(of: sent)
        }
        if let keptMethod {
            next.setMethod(asTyped: keptMethod)
            if hasPostContent, [301, 302, 303].contains(response.statusCode),
                !keptPosts.contains(response.statusCode)
            {
                next.removeContent()
                next.setValue(nil, forHTTPHeaderField: "Content-Type")
            }
        }
        guard updatesReferer, var url = response.url.flatMap({ URLComponents(url: $0, resolvingAgainstBaseURL: true) })
        else { return next }
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
        if wantsPart, response.statusCode < 300, response.statusCode != 206 {
            return .noPart(status: response.statusCode)
        }
        guard decodes else { return nil }
        // As in curl, "none" is another name of "identity".
        return AppliedCodings(of: response.head).unknown.first { $0 != "none" }
            .map(RefusedResponse.unknownCoding)
    }

    /// The rest of a file that is continued must begin where the file ends.
    ///
    /// - Parameters:
    ///   - offset: where that is; nil for a response to a request for the whole.
    ///   - meaning: of a response that continues another one; nil for others.
    func refusal(
        ofRest response: HTTPURLResponse, from offset: Int64?, _ meaning: ResumeStateMachine.Meaning?
    ) -> RefusedResponse? {
        guard let offset else { return nil }
        switch meaning {
        case .whole? where self.offset == nil: return nil
        case .askAgain? where response.statusCode == 206, .wrong(.total)?: return .changed(offset: offset)
        case .whole?, .rest?, .other?, .askAgain?, .wrong?, nil: break
        }
        switch response.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.init) {
        case .part(first: offset, last: _, total: _)? where response.statusCode == 206: return nil
        case .unsatisfied(let total)?: return .otherLength(offset: offset, total: total)
        case .part?, nil: return .noRest(offset: offset, status: response.statusCode)
        }
    }

    /// What continues a file of this length, which a response that broke off has left; nil if nothing does.
    ///
    /// - Parameter validator: that of an earlier response, for one that names none.
    func resumption(
        after response: HTTPURLResponse, at length: Int64, _ validator: StrongValidator?
    ) -> ResumeStateMachine? {
        guard continuesFile, [200, 206].contains(response.statusCode), !response.isContentDecoded,
            AppliedCodings(of: response.head).areIdentity
        else { return nil }
        let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.init)
        var total = response.head.contentLength.map(Int64.init(clamping:))
        if response.statusCode == 206 {
            total = if case .part(_, _, let total)? = range { total } else { nil }
        }
        return ResumeStateMachine(
            ResumeStateMachine.PartialContent(
                validator: StrongValidator(of: response.head) ?? validator, length: length, totalLength: total,
                source: ContentSource(response.url)))
    }

    /// Whether the answer is that there is no rest: curl takes a 416 for that.
    func isWholeAlready(_ response: HTTPURLResponse, from offset: Int64?) -> Bool {
        guard let offset, response.statusCode == 416 else { return false }
        guard
            case .unsatisfied(let total)? = response.value(forHTTPHeaderField: "Content-Range").flatMap(
                ContentRange.init)
        else { return true }
        return total == offset
    }

    /// Whether the server says that nothing has changed, or that its file is not what `-z` wants: curl takes that for a
    /// 304, too.
    func isUnchanged(_ response: HTTPURLResponse) -> Bool {
        if response.statusCode == 304 { return true }
        return response.statusCode == 200 && timeCondition?.isMet(by: response) == false
    }

    /// Whether the head is all that is wanted.
    func isBodyUnneeded(in response: HTTPURLResponse) -> Bool { wantsHeadAlone || isUnchanged(response) }

    /// - Parameter length: the length of the body, if it is announced.
    func refusal(of response: HTTPURLResponse, length: Int?) -> RefusedResponse? {
        if refusesErrors, response.statusCode >= 400 { return .status(response.statusCode) }
        return length.flatMap(refusal(ofLength:))
    }

    func refusal(ofLength length: Int) -> RefusedResponse? {
        maximumBodySize.flatMap { length > $0 ? .tooLarge(limit: $0) : nil }
    }

    /// Once it is complete. A part may be less than what was requested (RFC 9110 §15.3.7): then the file of `-C` is not
    /// the server's yet, nor is it if the part has another length than its `Content-Range` says.
    ///
    /// - Parameters:
    ///   - received: the number of its bytes.
    ///   - offset: where the part begins.
    func refusal(ofWhole response: HTTPURLResponse, received: Int, from offset: Int64?) -> RefusedResponse? {
        if let offset, response.statusCode == 206, !isBodyUnneeded(in: response),
            case .part(_, let last, let total)? = response.value(forHTTPHeaderField: "Content-Range").flatMap(
                ContentRange.init)
        {
            let (length, total) = (offset + Int64(received), total ?? last + 1)
            if length != total { return .partial(length: length, total: total) }
        }
        return refusesErrorsWithBody && response.statusCode >= 400 ? .status(response.statusCode) : nil
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
    /// `-Y`.
    case tooSlow(SpeedLimit)
    /// `-r`: it is not the part.
    case noPart(status: Int)
    /// `-C`: it is not the rest of the file.
    case noRest(offset: Int64, status: Int)
    /// `-C`: the server's file ends before the position.
    case otherLength(offset: Int64, total: Int64)
    /// `--retry` with `-C`: it is the rest of something else.
    case changed(offset: Int64)
    /// `-C`: with it the file has not the length of the server's.
    case partial(length: Int64, total: Int64)

    var description: String {
        switch self {
        case .status(let status): "the server answered \(status)"
        case .redirect(let scheme): "the redirect leads to \(scheme), which --proto and --proto-redir do not allow"
        case .ambiguousLocation: "the response has several Location fields that differ"
        case .unknownCoding(let coding): "the body's coding \(coding.prefix(100)) is unknown"
        case .noPart(let status):
            "the server \(status == 200 ? "sent the whole" : "answered \(status)"), and not the part that -r requests"
        case .noRest(let offset, let status):
            "the bytes from \(offset) on were requested (-C), and the server answered \(status) without them"
        case .otherLength(let offset, let total):
            "the bytes from \(offset) on were requested (-C), and the server's file has \(total)"
        case .changed(let offset):
            "the bytes from \(offset) on were requested (-C), and the server's file has changed since"
        case .partial(let length, let total):
            "the rest of the file was requested (-C): it has \(length) bytes now, and the server's file \(total)"
        case .tooSlow(let limit):
            "fewer than \(limit.bytesPerSecond) bytes a second passed for \(limit.seconds) s (--speed-limit)"
        case .tooLarge(let limit): "the body exceeds the \(limit) bytes of --max-filesize"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .status: .refusedStatus
        case .tooLarge: .tooLarge
        case .tooSlow: .timeLimit
        case .redirect: .failure
        case .ambiguousLocation: .strangeResponse
        case .unknownCoding: .undecodable
        case .noPart, .noRest, .otherLength, .changed: .noSuchRange
        case .partial: .partialBody
        }
    }

    func message(asking url: String?) -> String {
        guard case .status = self, let url else { return "\(self)" }
        return "\(self) to \(url)"
    }

    /// A stable word for the case, as in the engine's errors.
    var kind: String {
        switch self {
        case .status: "http-status"
        case .redirect, .ambiguousLocation: "redirect"
        case .unknownCoding: "undecodable"
        case .noPart, .noRest, .otherLength, .changed, .partial: "download"
        case .tooLarge: "body-too-large"
        case .tooSlow: "timed-out"
        }
    }

    var phase: String {
        switch self {
        case .status, .redirect, .ambiguousLocation, .unknownCoding, .noPart, .noRest, .otherLength,
            .changed:
            "head"
        case .tooLarge, .tooSlow, .partial: "body"
        }
    }
}

extension URLRequest {
    /// Adds the credentials that a redirect to another origin has removed. A Digest response holds for one target.
    fileprivate mutating func restoreCredentials(of original: URLRequest) {
        let present = Set(headers.map { $0.name.lowercased() })
        for field in original.headers {
            let name = field.name.lowercased()
            guard !present.contains(name), name == "cookie" || original.isSensitive(fieldNamed: name),
                !field.value.lowercased().hasPrefix("digest ")
            else { continue }
            headers.append(field)
        }
    }

    /// Makes the request the POST that `sent` was.
    fileprivate mutating func repeatPost(of sent: URLRequest) {
        setMethod(asTyped: "POST")
        body = sent.body
        for field in sent.headers where field.name.lowercased().hasPrefix("content-") {
            if field.name.lowercased() != "content-length" { headers.append(field) }
        }
    }
}
