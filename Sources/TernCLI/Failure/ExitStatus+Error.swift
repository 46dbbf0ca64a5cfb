// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine
import TernTLS

extension ExitStatus {
    /// Returns curl's exit code.
    init(of error: any Error) {
        self =
            switch error {
            case let error as SessionError: Self.status(of: error)
            case let failure as any ReportedFailure: failure.exitStatus
            default: .failure
            }
    }

    private static func status(of error: SessionError) -> ExitStatus {
        switch error.reason {
        case .request(let failure): status(of: failure)
        case .connecting(let failure): status(of: failure, in: error.phase)
        case .transfer(let failure): status(of: failure, error)
        case .download(let failure): status(of: failure)
        case .timedOut: .timeLimit
        case .cancelled, .sessionInvalidated: .failure
        case .system: status(ofSystemErrorIn: error.phase)
        }
    }

    private static func status(of failure: SessionError.RequestFailure) -> ExitStatus {
        switch failure {
        case .body(.alreadyUsed): .bodyNotRepeatable
        case .body, .invalid(.unreadableContent): .unreadable
        case .invalid(.unencodable): .usage
        case .invalid(.unsupportedScheme(let scheme)): scheme.isEmpty ? .malformedURL : .failure
        case .invalid: .malformedURL
        case .unauthenticated: .failure
        case .streamClosed: .sending
        }
    }

    private static func status(of failure: SessionError.ConnectingFailure, in phase: SessionError.Phase) -> ExitStatus {
        switch failure {
        case .queueFull: .failure
        case .unresolved: .unresolvedHost
        case .unreachable: .noConnection
        case .insecure(let error): status(of: error.reason, in: phase)
        }
    }

    private static func status(of reason: TLSError.Reason, in phase: SessionError.Phase) -> ExitStatus {
        switch reason {
        case .trust(let failure): status(of: failure.reason)
        case .noPeerCertificate, .invalidHost: .peerCertificate
        case .clientCertificateRequired: .clientCertificateRequired
        case .invalidConfiguration(.identity): .clientCertificate
        default: phase == .head || phase == .body ? .receiving : .handshake
        }
    }

    static func status(of reason: TrustFailure.Reason) -> ExitStatus {
        switch reason {
        case .keyNotPinned, .certificateNotPinned: .pin
        case .revoked, .unknownToResponder, .revocationUndetermined, .missingStaple: .certificateStatus
        default: .peerCertificate
        }
    }

    private static func status(of failure: SessionError.TransferFailure, _ error: SessionError) -> ExitStatus {
        switch failure {
        case .connectionLost(let cause): status(ofLossBecauseOf: cause, error)
        case .tls(let failure): status(of: failure.reason, in: error.phase)
        case .malformedResponse(let broken): status(of: broken.reason)
        case .undecodable: .undecodable
        case .bodyTooLarge, .outOfMemory: .tooLarge
        case .redirect(let failure): status(of: failure)
        case .upgradeNotTaken, .upgradeRefused: .strangeResponse
        case .unreadable(.notEvents(let status, _)): status >= 400 ? .refusedStatus : .strangeResponse
        case .unreadable(.codedEvents): .undecodable
        case .unreadable: .tooLarge
        }
    }

    private static func status(ofLossBecauseOf cause: SystemCallError?, _ error: SessionError) -> ExitStatus {
        if error.phase == .tls { return .handshake }
        if let cause { return cause.call == .send || cause.call == .sendfile ? .sending : .receiving }
        return error.phase == .body ? .partialBody : .emptyResponse
    }

    private static func status(of reason: HTTPProtocolError.Reason) -> ExitStatus {
        switch reason {
        case .statusLine(.notHTTP), .statusLine(.unsupportedVersion): .failure
        case .framing(.transferCoding): .undecodable
        case .chunk, .limit: .receiving
        case .truncated(.beforeResponse), .truncated(.head): .emptyResponse
        case .truncated: .partialBody
        case .request: .usage
        case .statusLine, .field, .framing, .unsolicited, .misuse: .strangeResponse
        }
    }

    private static func status(of failure: RedirectError) -> ExitStatus {
        switch failure {
        case .tooMany, .loop: .redirects
        case .ambiguousLocation: .strangeResponse
        case .malformedLocation, .locationTooLong: .malformedURL
        case .invalidLocation(.unsupportedScheme), .insecure: .failure
        case .invalidLocation: .malformedURL
        case .bodyNotReplayable: .bodyNotRepeatable
        }
    }

    private static func status(of failure: SessionError.DownloadFailure) -> ExitStatus {
        switch failure {
        case .file, .exists, .notRegularFile: .unwritable
        case .unsuccessful: .refusedStatus
        case .wrongPart: .noSuchRange
        case .incomplete: .partialBody
        case .tooLong: .tooLarge
        case .digestMismatch, .noDigest: .failure
        case .resumeData: .badResumeData
        }
    }

    private static func status(ofSystemErrorIn phase: SessionError.Phase) -> ExitStatus {
        switch phase {
        case .request: .unreadable
        case .pool: .failure
        case .resolve: .unresolvedHost
        case .connect: .noConnection
        case .tls: .handshake
        case .head, .body: .receiving
        }
    }
}
