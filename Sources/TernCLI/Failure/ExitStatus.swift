// SPDX-License-Identifier: Apache-2.0

/// The exit codes of commands that send requests: curl's, so that scripts written for curl understand them.
///
/// `trust`, `bench` and `demo` end with 0, 1 or 2 only.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case usage = 2
    case malformedURL = 3
    case unresolvedProxy = 5
    case unresolvedHost = 6
    case noConnection = 7
    case strangeResponse = 8
    case partialBody = 18
    case refusedStatus = 22
    case unwritable = 23
    case unreadable = 26
    case timeLimit = 28
    case noSuchRange = 33
    case handshake = 35
    case badResumeData = 36
    case localEnd = 45
    case redirects = 47
    case optionSyntax = 49
    case emptyResponse = 52
    case sending = 55
    case receiving = 56
    case clientCertificate = 58
    case algorithms = 59
    case peerCertificate = 60
    case undecodable = 61
    case tooLarge = 63
    case bodyNotRepeatable = 65
    case authorities = 77
    case revocationLists = 82
    case pin = 90
    case certificateStatus = 91
    case proxyHandshake = 97
    case clientCertificateRequired = 98

    /// The cause, for the table in the help.
    var cause: String {
        switch self {
        case .success: "done"
        case .failure: "a scheme that is not supported or not allowed, or a failure without a code of its own"
        case .usage: "wrong usage"
        case .malformedURL: "the URL is malformed"
        case .unresolvedProxy: "the name of the proxy has no address, or a variable names none"
        case .unresolvedHost: "the host name has no address"
        case .noConnection: "no connection to the server"
        case .strangeResponse: "the response breaks HTTP/1.1"
        case .partialBody: "the body ended early"
        case .refusedStatus: "the status is 400 or more, with -f or --fail-with-body; in \"download\", not 2xx"
        case .unwritable: "the output cannot be written"
        case .unreadable: "a file to send cannot be read"
        case .timeLimit: "a timeout passed"
        case .noSuchRange: "the server sent another range than requested"
        case .handshake: "the TLS handshake failed"
        case .badResumeData: "the download cannot be resumed"
        case .localEnd: "--interface or --local-port cannot be used"
        case .redirects: "too many redirects, or a loop of them"
        case .optionSyntax: "--resolve or --connect-to cannot be read"
        case .emptyResponse: "the server closed the connection without a response"
        case .sending: "sending failed"
        case .receiving: "receiving failed"
        case .clientCertificate: "--cert or --key cannot be used"
        case .algorithms: "--ciphers, --tls13-ciphers or --curves cannot be used"
        case .peerCertificate: "the server's certificate is not trusted"
        case .undecodable: "the body's coding is unknown or broken"
        case .tooLarge: "the body exceeds --max-filesize"
        case .bodyNotRepeatable: "the body must be sent again, and can be read only once"
        case .authorities: "--cacert or --capath cannot be read"
        case .revocationLists: "--crlfile or --distrusted cannot be read"
        case .pin: "no --pin matches, or not --pinnedpubkey"
        case .certificateStatus: "the certificate is revoked, or its OCSP response is missing"
        case .proxyHandshake: "a SOCKS proxy opened no tunnel"
        case .clientCertificateRequired: "the server requires a client certificate"
        }
    }

    /// One line for each code.
    static var table: String {
        allCases.map { status in
            let number = "\(status.rawValue)"
            return String(repeating: " ", count: 4 - number.count) + number + "  " + status.cause
        }.joined(separator: "\n")
    }
}
