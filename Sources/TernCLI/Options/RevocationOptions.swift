// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernFiles
import TernTLS

/// Whether to check if certificates have been revoked, over the network if necessary.
struct RevocationOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--check-revocation",
                help:
                    "Refuse certificates that are known to be revoked, by a stapled or fetched OCSP response or by a list."
            ) { $0.checks = $1 },
            .toggle(
                "--cert-status",
                help: "As --check-revocation, and also refuse a certificate without a positive response."
            ) { $0.demands = $1 })
    }

    var checks = false
    var demands = false

    /// Nil if revocation is not checked.
    var policy: ServerTrustPolicy? {
        guard checks || demands else { return nil }
        return .performRevokedEvaluation(
            validateHost: true,
            revocationFlags: demands ? [.useAnyAvailableMethod, .requirePositiveResponse] : .useAnyAvailableMethod)
    }
}

/// Lists of certificates that must not be trusted.
struct DistrustedOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--distrusted", as: "file", repeats: true,
                help:
                    "Refuse the certificates in this file, intermediates too: OneCRL's JSON, or a CRLSet of Chromium; repeat for more."
            ) { $0.files.append($1.text) })
    }

    var files: [String] = []

    /// The option, if it is given.
    var given: [String] { files.isEmpty ? [] : ["--distrusted"] }

    /// The certificates of all files. A list that should have been replaced counts, and a warning tells of it.
    ///
    /// - Parameters:
    ///   - status: that of a file that cannot be used; nil for wrong usage.
    ///   - time: nil for now.
    func certificates(_ status: ExitStatus? = nil, at time: Int64? = nil) throws -> DistrustedCertificates {
        try files.reduce(.none) { all, file in
            let list: DistrustedCertificates
            do {
                list = try TrustOptions.read(
                    file, "--distrusted", status ?? .usage, DistrustedCertificates.init(contents:))
            } catch let failure as CommandFailure where status == nil {
                throw UsageError(failure.message)
            }
            if let end = list.validUntil, end < time ?? Timestamp.current {
                StandardStreams.tell(
                    "tern: warning: \(file): the list is outdated since \(Timestamp.rfc3339(end)); get a newer one")
            }
            return all.union(list)
        }
    }
}

/// What to do about a server that sends less than it should.
struct CompletenessOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--fetch-issuers",
                help:
                    "Fetch intermediates that the server does not send from the http URLs that certificates name; they are not trusted."
            ) { $0.fetchesIssuers = $1 },
            .toggle(
                "--must-staple",
                help:
                    "Refuse a certificate that requires a stapled OCSP response if the server sends no good one."
            ) { $0.mustStaple = $1 })
    }

    var fetchesIssuers = false
    var mustStaple = false

    /// The options that are on.
    var given: [String] {
        [("--fetch-issuers", fetchesIssuers), ("--must-staple", mustStaple)].filter(\.1).map(\.0)
    }

    func apply(to settings: inout TLSSettings) {
        settings.fetchesMissingIssuers = fetchesIssuers
        settings.enforcesMustStaple = mustStaple
    }
}
