// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS

/// A report in the form of RFC 7469 §3, with further members: the rule, the verdict and the reason as text.
struct PinReportBody: Encodable {
    private let dateTime: String
    private let hostname: String
    private let port: UInt16
    private let expires: String?
    private let includesSubdomains: Bool
    private let notedHostname: String
    private let servedChain: [String]
    private let validatedChain: [String]
    private let knownPins: [String]
    private let rule: String
    private let isRefused: Bool
    private let message: String

    init(_ report: PinFailureReport) {
        let (result, set) = (report.result, report.pinSet)
        let pattern = set.hosts.first { $0.matches(result.host) }
        dateTime = Timestamp.rfc3339(result.time)
        hostname = result.host
        port = report.port
        expires = set.expires.map(Timestamp.rfc3339)
        includesSubdomains = pattern?.scope == .anyDepth
        notedHostname = pattern?.description ?? result.host
        servedChain = result.sentChain.map(\.pem)
        validatedChain = result.isChainValidated ? result.verifiedChain.map(\.pem) : []
        knownPins = set.allPins.map { "pin-sha256=\"\($0.pin.dropFirst("sha256/".count))\"" }
        rule = report.failure.rule
        isRefused = report.isRefused
        message = report.failure.description
    }

    private enum CodingKeys: String, CodingKey {
        case dateTime = "date-time"
        case hostname, port
        case expires = "effective-expiration-date"
        case includesSubdomains = "include-subdomains"
        case notedHostname = "noted-hostname"
        case servedChain = "served-certificate-chain"
        case validatedChain = "validated-certificate-chain"
        case knownPins = "known-pins"
        case rule
        case isRefused = "refused"
        case message
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
