// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// The error of a request that would fail with Foundation's `URLError` in URLSession: `error as? URLError` finds it,
/// and its `code` is one of Foundation's. A program throws it as well: `throw URLError(.badServerResponse)`. Errors that
/// Foundation itself throws are `Foundation.URLError`.
public typealias URLError = SessionError

extension SessionError {
    /// Foundation's codes.
    public typealias Code = Foundation.URLError.Code

    /// An error of the program's own with this code, to be thrown. Its reason is
    /// ``TernEngine/SessionError/Reason-swift.enum/program(_:)``, and its description that of an `NSError`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let information = GivenInformation(userInfo)
        let failure = ProgramFailure(code: code.rawValue, information: information) {
            NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: information.userInfo).description
        }
        self.init(.program(failure), phase: .request)
    }

    /// `failingURL` as text; for an error of the program's own what its `userInfo` says.
    public var failureURLString: String? {
        if case .program = reason { return errorUserInfo["NSErrorFailingURLStringKey"] as? String }
        return failingURL?.absoluteString
    }

    /// ``TernEngine/SessionError/resumeData``; for an error of the program's own what its `userInfo` says.
    public var downloadTaskResumeData: Data? {
        resumeData ?? errorUserInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }

    /// The description, the URL of the request, and the resume data of a download; for an error of the program's own what it
    /// was made with.
    public var userInfo: [String: Any] { errorUserInfo }

    /// Foundation's object with the same code and `userInfo`.
    // swift-format-ignore: NoLeadingUnderscores
    public var _nsError: NSError { plain }
}

/// Sendable, because nothing changes the dictionary. Its values are those of the program, which throws them from thread to
/// thread as it does in an error of Foundation's.
private struct GivenInformation: ProgramInformation, @unchecked Sendable {
    let userInfo: [String: Any]

    init(_ userInfo: [String: Any]) { self.userInfo = userInfo }
}

extension SessionError: Hashable {
    /// Whether code and `userInfo` are equal, as for errors of Foundation.
    public static func == (left: SessionError, right: SessionError) -> Bool {
        left.code == right.code && left.plain.isEqual(right.plain)
    }

    /// The same as Foundation's object.
    fileprivate var plain: NSError { NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: errorUserInfo) }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension SessionError {
    /// Foundation's code `unknown`: `catch URLError.unknown`.
    public static var unknown: Code { .unknown }
    /// Foundation's code `cancelled`: `catch URLError.cancelled`.
    public static var cancelled: Code { .cancelled }
    /// Foundation's code `badURL`: `catch URLError.badURL`.
    public static var badURL: Code { .badURL }
    /// Foundation's code `timedOut`: `catch URLError.timedOut`.
    public static var timedOut: Code { .timedOut }
    /// Foundation's code `unsupportedURL`: `catch URLError.unsupportedURL`.
    public static var unsupportedURL: Code { .unsupportedURL }
    /// Foundation's code `cannotFindHost`: `catch URLError.cannotFindHost`.
    public static var cannotFindHost: Code { .cannotFindHost }
    /// Foundation's code `cannotConnectToHost`: `catch URLError.cannotConnectToHost`.
    public static var cannotConnectToHost: Code { .cannotConnectToHost }
    /// Foundation's code `networkConnectionLost`: `catch URLError.networkConnectionLost`.
    public static var networkConnectionLost: Code { .networkConnectionLost }
    /// Foundation's code `dnsLookupFailed`: `catch URLError.dnsLookupFailed`.
    public static var dnsLookupFailed: Code { .dnsLookupFailed }
    /// Foundation's code `httpTooManyRedirects`: `catch URLError.httpTooManyRedirects`.
    public static var httpTooManyRedirects: Code { .httpTooManyRedirects }
    /// Foundation's code `resourceUnavailable`: `catch URLError.resourceUnavailable`.
    public static var resourceUnavailable: Code { .resourceUnavailable }
    /// Foundation's code `notConnectedToInternet`: `catch URLError.notConnectedToInternet`.
    public static var notConnectedToInternet: Code { .notConnectedToInternet }
    /// Foundation's code `redirectToNonExistentLocation`: `catch URLError.redirectToNonExistentLocation`.
    public static var redirectToNonExistentLocation: Code { .redirectToNonExistentLocation }
    /// Foundation's code `badServerResponse`: `catch URLError.badServerResponse`.
    public static var badServerResponse: Code { .badServerResponse }
    /// Foundation's code `userCancelledAuthentication`: `catch URLError.userCancelledAuthentication`.
    public static var userCancelledAuthentication: Code { .userCancelledAuthentication }
    /// Foundation's code `userAuthenticationRequired`: `catch URLError.userAuthenticationRequired`.
    public static var userAuthenticationRequired: Code { .userAuthenticationRequired }
    /// Foundation's code `zeroByteResource`: `catch URLError.zeroByteResource`.
    public static var zeroByteResource: Code { .zeroByteResource }
    /// Foundation's code `cannotDecodeRawData`: `catch URLError.cannotDecodeRawData`.
    public static var cannotDecodeRawData: Code { .cannotDecodeRawData }
    /// Foundation's code `cannotDecodeContentData`: `catch URLError.cannotDecodeContentData`.
    public static var cannotDecodeContentData: Code { .cannotDecodeContentData }
    /// Foundation's code `cannotParseResponse`: `catch URLError.cannotParseResponse`.
    public static var cannotParseResponse: Code { .cannotParseResponse }
    /// Foundation's code `fileDoesNotExist`: `catch URLError.fileDoesNotExist`.
    public static var fileDoesNotExist: Code { .fileDoesNotExist }
    /// Foundation's code `fileIsDirectory`: `catch URLError.fileIsDirectory`.
    public static var fileIsDirectory: Code { .fileIsDirectory }
    /// Foundation's code `noPermissionsToReadFile`: `catch URLError.noPermissionsToReadFile`.
    public static var noPermissionsToReadFile: Code { .noPermissionsToReadFile }
    /// Foundation's code `dataLengthExceedsMaximum`: `catch URLError.dataLengthExceedsMaximum`.
    public static var dataLengthExceedsMaximum: Code { .dataLengthExceedsMaximum }
    /// Foundation's code `secureConnectionFailed`: `catch URLError.secureConnectionFailed`.
    public static var secureConnectionFailed: Code { .secureConnectionFailed }
    /// Foundation's code `serverCertificateHasBadDate`: `catch URLError.serverCertificateHasBadDate`.
    public static var serverCertificateHasBadDate: Code { .serverCertificateHasBadDate }
    /// Foundation's code `serverCertificateUntrusted`: `catch URLError.serverCertificateUntrusted`.
    public static var serverCertificateUntrusted: Code { .serverCertificateUntrusted }
    /// Foundation's code `serverCertificateHasUnknownRoot`: `catch URLError.serverCertificateHasUnknownRoot`.
    public static var serverCertificateHasUnknownRoot: Code { .serverCertificateHasUnknownRoot }
    /// Foundation's code `serverCertificateNotYetValid`: `catch URLError.serverCertificateNotYetValid`.
    public static var serverCertificateNotYetValid: Code { .serverCertificateNotYetValid }
    /// Foundation's code `clientCertificateRejected`: `catch URLError.clientCertificateRejected`.
    public static var clientCertificateRejected: Code { .clientCertificateRejected }
    /// Foundation's code `clientCertificateRequired`: `catch URLError.clientCertificateRequired`.
    public static var clientCertificateRequired: Code { .clientCertificateRequired }
    /// Foundation's code `cannotLoadFromNetwork`: `catch URLError.cannotLoadFromNetwork`.
    public static var cannotLoadFromNetwork: Code { .cannotLoadFromNetwork }
    /// Foundation's code `cannotCreateFile`: `catch URLError.cannotCreateFile`.
    public static var cannotCreateFile: Code { .cannotCreateFile }
    /// Foundation's code `cannotOpenFile`: `catch URLError.cannotOpenFile`.
    public static var cannotOpenFile: Code { .cannotOpenFile }
    /// Foundation's code `cannotCloseFile`: `catch URLError.cannotCloseFile`.
    public static var cannotCloseFile: Code { .cannotCloseFile }
    /// Foundation's code `cannotWriteToFile`: `catch URLError.cannotWriteToFile`.
    public static var cannotWriteToFile: Code { .cannotWriteToFile }
    /// Foundation's code `cannotRemoveFile`: `catch URLError.cannotRemoveFile`.
    public static var cannotRemoveFile: Code { .cannotRemoveFile }
    /// Foundation's code `cannotMoveFile`: `catch URLError.cannotMoveFile`.
    public static var cannotMoveFile: Code { .cannotMoveFile }
    /// Foundation's code `downloadDecodingFailedMidStream`: `catch URLError.downloadDecodingFailedMidStream`.
    public static var downloadDecodingFailedMidStream: Code { .downloadDecodingFailedMidStream }
    /// Foundation's code `downloadDecodingFailedToComplete`: `catch URLError.downloadDecodingFailedToComplete`.
    public static var downloadDecodingFailedToComplete: Code { .downloadDecodingFailedToComplete }
    /// Foundation's code `internationalRoamingOff`: `catch URLError.internationalRoamingOff`.
    public static var internationalRoamingOff: Code { .internationalRoamingOff }
    /// Foundation's code `callIsActive`: `catch URLError.callIsActive`.
    public static var callIsActive: Code { .callIsActive }
    /// Foundation's code `dataNotAllowed`: `catch URLError.dataNotAllowed`.
    public static var dataNotAllowed: Code { .dataNotAllowed }
    /// Foundation's code `requestBodyStreamExhausted`: `catch URLError.requestBodyStreamExhausted`.
    public static var requestBodyStreamExhausted: Code { .requestBodyStreamExhausted }
    /// Foundation's code `appTransportSecurityRequiresSecureConnection`: `catch URLError.appTransportSecurityRequiresSecureConnection`.
    public static var appTransportSecurityRequiresSecureConnection: Code {
        .appTransportSecurityRequiresSecureConnection
    }
    /// Foundation's code `backgroundSessionRequiresSharedContainer`: `catch URLError.backgroundSessionRequiresSharedContainer`.
    public static var backgroundSessionRequiresSharedContainer: Code { .backgroundSessionRequiresSharedContainer }
    /// Foundation's code `backgroundSessionInUseByAnotherProcess`: `catch URLError.backgroundSessionInUseByAnotherProcess`.
    public static var backgroundSessionInUseByAnotherProcess: Code { .backgroundSessionInUseByAnotherProcess }
    /// Foundation's code `backgroundSessionWasDisconnected`: `catch URLError.backgroundSessionWasDisconnected`.
    public static var backgroundSessionWasDisconnected: Code { .backgroundSessionWasDisconnected }
}

/// The key of a download's resume data in the `userInfo` of its error, as FoundationNetworking names it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
