// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernIO
import TernTLS

// The requirements of `Error` that `as NSError` and older programs read: `error._code == NSURLErrorCancelled`.
extension SessionError {
    fileprivate static let urlErrorDomain = "NSURLErrorDomain"

    /// URLSession's domain of errors.
    public var _domain: String { Self.urlErrorDomain }

    /// URLSession's code for this error; for an error of the program's own the code that it has chosen.
    public var _code: Int {
        switch reason {
        case .program(let failure): failure.code
        case .transfer(.provider(let error)) where error._domain == Self.urlErrorDomain: error._code
        default: reason.code.rawValue
        }
    }
}

/// The codes of URLSession that an error can have, by their names in Foundation.
private enum URLErrorCode: Int {
    case unknown = -1
    case backgroundSessionRequiresSharedContainer = -995
    case cancelled = -999
    case badURL = -1000
    case timedOut = -1001
    case unsupportedURL = -1002
    case cannotFindHost = -1003
    case cannotConnectToHost = -1004
    case networkConnectionLost = -1005
    case dnsLookupFailed = -1006
    case httpTooManyRedirects = -1007
    case resourceUnavailable = -1008
    case notConnectedToInternet = -1009
    case redirectToNonExistentLocation = -1010
    case badServerResponse = -1011
    case userAuthenticationRequired = -1013
    case cannotDecodeRawData = -1015
    case cannotParseResponse = -1017
    case requestBodyStreamExhausted = -1021
    case appTransportSecurityRequiresSecureConnection = -1022
    case fileDoesNotExist = -1100
    case fileIsDirectory = -1101
    case noPermissionsToReadFile = -1102
    case dataLengthExceedsMaximum = -1103
    case secureConnectionFailed = -1200
    case serverCertificateUntrusted = -1202
    case clientCertificateRejected = -1205
    case clientCertificateRequired = -1206
    case cannotCreateFile = -3000
    case cannotOpenFile = -3001
    case cannotWriteToFile = -3003
}

extension SessionError.Reason {
    fileprivate var code: URLErrorCode {
        switch self {
        case .request(let failure): failure.code
        case .connecting(let failure): failure.code
        case .transfer(let failure): failure.code
        case .download(let failure): failure.code
        case .response(.unsuccessful): .badServerResponse
        case .response(.undecodable): .cannotParseResponse
        case .timedOut: .timedOut
        case .cancelled, .sessionInvalidated: .cancelled
        case .system: .unknown
        case .program: .unknown
        }
    }
}

extension SessionError.RequestFailure {
    fileprivate var code: URLErrorCode {
        switch self {
        case .invalid(.unsupportedScheme), .invalid(.missingURL): .unsupportedURL
        case .invalid(.malformedURL), .invalid(.invalidHost), .invalid(.invalidPort), .invalid(.ambiguousUserinfo):
            .badURL
        case .invalid(.unencodable): .unknown
        case .invalid(.contentWithoutMethod): .dataLengthExceedsMaximum
        case .invalid(.unreadableContent(.noRegularFile)): .fileIsDirectory
        case .invalid(.unreadableContent(.unreadable(let error, _))):
            error.isMissingFile ? .fileDoesNotExist : .noPermissionsToReadFile
        case .body: .requestBodyStreamExhausted
        case .unauthenticated: .userAuthenticationRequired
        case .streamClosed: .networkConnectionLost
        case .notCached, .notRecorded: .resourceUnavailable
        case .backgroundSession: .backgroundSessionRequiresSharedContainer
        }
    }
}

extension SessionError.ConnectingFailure {
    fileprivate var code: URLErrorCode {
        switch self {
        case .queueFull, .circuitOpen, .egressRefused: .resourceUnavailable
        case .unresolved(let error):
            switch error.reason {
            // As FoundationNetworking, which does not tell them apart.
            case .unknownHost, .temporaryFailure, .failure: .cannotFindHost
            case .otherFamily: .cannotConnectToHost
            case .tooManyHangingLookUps: .dnsLookupFailed
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
    fileprivate var code: URLErrorCode {
        switch self {
        case .connectionLost: .networkConnectionLost
        case .tls(let error): error.code
        case .malformedResponse: .cannotParseResponse
        case .upgradeNotTaken, .upgradeRefused: .badServerResponse
        case .undecodable: .cannotDecodeRawData
        case .damagedCache: .cannotDecodeRawData
        case .provider: .unknown
        case .bodyTooLarge, .outOfMemory, .memoryQuotaExceeded: .dataLengthExceedsMaximum
        case .redirect(.tooMany), .redirect(.loop): .httpTooManyRedirects
        case .redirect(.invalidLocation(.unsupportedScheme)): .unsupportedURL
        case .redirect(.ambiguousLocation), .redirect(.malformedLocation), .redirect(.invalidLocation),
            .redirect(.locationTooLong):
            .redirectToNonExistentLocation
        case .redirect(.insecure): .appTransportSecurityRequiresSecureConnection
        case .redirect(.bodyNotReplayable): .requestBodyStreamExhausted
        case .unreadable(.lineTooLong), .unreadable(.characterTooLong), .unreadable(.eventTooLarge):
            .dataLengthExceedsMaximum
        case .unreadable(.undecodableLine), .unreadable(.undecodableEvent): .cannotParseResponse
        case .unreadable(.notEvents), .unreadable(.codedEvents): .badServerResponse
        case .webSocket(.handshake), .webSocket(.violation): .badServerResponse
        case .webSocket(.messageTooLarge): .dataLengthExceedsMaximum
        case .webSocket(.undecodable): .cannotDecodeRawData
        case .webSocket(.closed): .networkConnectionLost
        case .webSocket(.noPong): .timedOut
        case .webSocket(.unsendableClose): .unknown
        }
    }
}

extension SessionError.DownloadFailure {
    fileprivate var code: URLErrorCode {
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
    fileprivate var code: URLErrorCode {
        switch reason {
        case .trust(let failure): failure.code
        case .clientCertificateRequired: .clientCertificateRequired
        case .alert(let alert) where alert.isAboutCertificate: .clientCertificateRejected
        case .alert, .invalidConfiguration, .invalidHost, .signing, .handshakeFailed, .protocolViolation,
            .tooManyMessages, .noPeerCertificate, .truncated, .notEstablished, .closed, .outOfResources:
            .secureConnectionFailed
        }
    }
}

extension TrustFailure {
    /// One code for whatever the system's rules refuse, a date as well as an unknown root: programs expect it that were written for
    /// Darwin and Alamofire 4. The reason tells them apart.
    fileprivate var code: URLErrorCode { reason.kind.isOfCaller ? .cancelled : .serverCertificateUntrusted }
}
