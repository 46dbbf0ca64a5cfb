// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

// `error as NSError` has URLSession's domain and code. A cast to `URLError` does not find an error of another type on
// Linux.
extension SessionError: CustomNSError {
    /// `NSURLErrorDomain`
    public static var errorDomain: String { NSURLErrorDomain }

    /// The number of ``code``.
    public var errorCode: Int { _code }

    /// The description, the origin of the request, and the resume data of a download; for an error of the program's own
    /// what the program said.
    public var errorUserInfo: [String: Any] {
        if case .program(let failure) = reason {
            return (failure.information as? any ProgramInformation)?.userInfo ?? [:]
        }
        var information: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let failingURL { information[NSURLErrorFailingURLErrorKey] = failingURL }
        if let requestURL { information["NSErrorFailingURLStringKey"] = requestURL.absoluteString }
        if let resumeData { information[NSURLSessionDownloadTaskResumeData] = resumeData }
        return information
    }
}

extension SessionError {
    /// URLSession's code for this error.
    ///
    /// A server refused by pins or by a custom evaluation is `cancelled`, as in Alamofire 4; one that the default
    /// policy would refuse is `serverCertificateUntrusted`, also for a date. The reason distinguishes them from a cancelled request.
    public var code: URLError.Code { URLError.Code(rawValue: _code) ?? .unknown }

    /// Foundation's error for this one, which is its `NSUnderlyingErrorKey`.
    public var urlError: URLError {
        URLError(code, userInfo: errorUserInfo.merging([NSUnderlyingErrorKey: self]) { first, _ in first })
    }

    /// The origin of the request. An error has no other part of the URL, which may contain secrets; but that of a session
    /// of a `URLSessionConfiguration` has the whole URL, as in Foundation.
    public var failingURL: URL? {
        if case .program = reason { return errorUserInfo[NSURLErrorFailingURLErrorKey] as? URL }
        return requestURL ?? origin.flatMap { URL(string: "\($0.scheme)://\($0.hostField)") }
    }
}

/// The key of a download's resume data in the `userInfo` of its error.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

extension URLError.Code {
    /// Whether an error has this code, one of Foundation's or a ``TernEngine/SessionError``: `catch URLError.timedOut`.
    public static func ~= (code: URLError.Code, error: any Error) -> Bool {
        (error as? SessionError)?.code == code || (error as? URLError)?.code == code
    }
}

/// What a program has said of an error that it has made.
package protocol ProgramInformation: Sendable {
    /// As Foundation has it.
    var userInfo: [String: Any] { get }
}
