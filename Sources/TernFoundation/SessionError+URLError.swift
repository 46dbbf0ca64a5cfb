// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

// `error as NSError` has URLSession's domain and code. A cast to `URLError` does not find an error of another type on
// Linux.
extension SessionError: CustomNSError {
    /// `NSURLErrorDomain`
    public static var errorDomain: String { NSURLErrorDomain }

    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }

    /// The description, the origin of the request, and the resume data of a download; for an error of the program's own
    /// what the program said.
    public var errorUserInfo: [String: Any] {
        if case .program(let failure) = reason {
            return (failure.information as? any ProgramInformation)?.userInfo ?? [:]
        }
        var information: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let failingURL { information[NSURLErrorFailingURLErrorKey] = failingURL }
        if let requestURL { information["NSErrorFailingURLStringKey"] = requestURL.absoluteString }
        if let resumeData { information["NSURLSessionDownloadTaskResumeData"] = resumeData }
        return information
    }
}

extension SessionError {
    /// URLSession's code for this error.
    ///
    /// A server refused by pins or by a custom evaluation is `cancelled`, as in Alamofire 4; one that the default
    /// policy would refuse is `serverCertificateUntrusted`. The reason distinguishes them from a cancelled request.
    public var code: URLError.Code { reason.code }

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

extension SessionError.Reason {
    fileprivate var code: URLError.Code {
        switch self {
        case .request(let failure): failure.code
        case .connecting(let failure): failure.code
        case .transfer(let failure): failure.code
        case .download(let failure): failure.code
        case .timedOut: .timedOut
        case .cancelled, .sessionInvalidated: .cancelled
        case .system: .unknown
        case .program(let failure): URLError.Code(rawValue: failure.code) ?? .unknown
        }
    }
}

extension SessionError.RequestFailure {
    fileprivate var code: URLError.Code {
        switch self {
        case .invalid(.unsupportedScheme), .invalid(.missingURL): .unsupportedURL
        case .invalid(.malformedURL), .invalid(.invalidHost), .invalid(.invalidPort),
            .invalid(.unencodable):
            .badURL
        case .invalid(.unreadableContent(.noRegularFile)): .fileIsDirectory
        case .invalid(.unreadableContent(.unreadable(let error, _))):
            error.isAboutAbsence ? .fileDoesNotExist : .noPermissionsToReadFile
        case .body: .requestBodyStreamExhausted
        case .unauthenticated: .userAuthenticationRequired
        case .streamClosed: .networkConnectionLost
        case .notCached, .notRecorded: .resourceUnavailable
        case .backgroundSession: .backgroundSessionRequiresSharedContainer
        }
    }
}

extension SessionError.ConnectingFailure {
    fileprivate var code: URLError.Code {
        switch self {
        case .queueFull, .circuitOpen, .egressRefused: .resourceUnavailable
        case .unresolved(let error):
            switch error.reason {
            case .unknownHost: .cannotFindHost
            case .otherFamily: .cannotConnectToHost
            case .temporaryFailure, .failure, .tooManyHangingLookUps: .dnsLookupFailed
            }
        case .unreachable(let error):
            !error.attempts.isEmpty && error.attempts.allSatisfy(\.error.isAboutRouting)
                ? .notConnectedToInternet : .cannotConnectToHost
        case .insecure(let error): error.code
        case .proxy, .invalidProxy, .dialer, .socketOption: .cannotConnectToHost
        }
    }
}

extension SessionError.TransferFailure {
    fileprivate var code: URLError.Code {
        switch self {
        case .connectionLost: .networkConnectionLost
        case .tls(let error): error.code
        case .malformedResponse, .upgradeNotTaken, .upgradeRefused: .badServerResponse
        case .undecodable: .cannotDecodeRawData
        case .damagedCache: .cannotDecodeRawData
        case .provider(let error): error.urlErrorCode
        case .bodyTooLarge, .outOfMemory, .memoryQuotaExceeded: .dataLengthExceedsMaximum
        case .redirect(.tooMany), .redirect(.loop): .httpTooManyRedirects
        case .redirect(.ambiguousLocation), .redirect(.malformedLocation), .redirect(.invalidLocation),
            .redirect(.locationTooLong):
            .redirectToNonExistentLocation
        case .redirect(.insecure): .appTransportSecurityRequiresSecureConnection
        case .redirect(.bodyNotReplayable): .requestBodyStreamExhausted
        case .unreadable(.lineTooLong), .unreadable(.characterTooLong), .unreadable(.eventTooLarge):
            .dataLengthExceedsMaximum
        case .unreadable(.undecodableLine): .cannotParseResponse
        case .unreadable(.notEvents), .unreadable(.codedEvents): .badServerResponse
        }
    }
}

extension Error {
    /// That of an error of Foundation's domain.
    fileprivate var urlErrorCode: URLError.Code {
        if let error = self as? SessionError { return error.code }
        let error = self as NSError
        guard error.domain == NSURLErrorDomain else { return .unknown }
        return URLError.Code(rawValue: error.code) ?? .unknown
    }
}

extension SessionError.DownloadFailure {
    fileprivate var code: URLError.Code {
        switch self {
        case .file(let error, _): error.call == .open ? .cannotCreateFile : .cannotWriteToFile
        case .exists, .notRegularFile: .cannotCreateFile
        case .unsuccessful, .wrongPart, .noDigest: .badServerResponse
        case .incomplete: .networkConnectionLost
        case .tooLong: .dataLengthExceedsMaximum
        case .digestMismatch, .digestLength: .cannotDecodeRawData
        case .resumeData: .cannotOpenFile
        }
    }
}

extension TLSError {
    fileprivate var code: URLError.Code {
        if let trustFailure { return trustFailure.reason.kind.isOfCaller ? .cancelled : .serverCertificateUntrusted }
        if case .clientCertificateRequired = reason { return .clientCertificateRequired }
        return .secureConnectionFailed
    }
}

extension SystemCallError {
    fileprivate var isAboutAbsence: Bool { code == ENOENT || code == ENOTDIR }
    fileprivate var isAboutRouting: Bool { code == ENETUNREACH || code == ENETDOWN }
}
