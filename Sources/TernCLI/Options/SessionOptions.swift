// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// What the options say of a session. Requests whose options agree in this share a session, and with it connections; all
/// else is said of each request.
struct SessionOptions: Equatable {
    private let trust: TrustOptions
    private let routes: RouteOptions
    private let egress: EgressOption
    private let unixSocket: String?
    private let abstractUnixSocket: String?
    private let hsts: String?
    private let cache: String?
    private let probesForDigest: Bool
    /// Those that choose a file of names and passwords; nil for none.
    private let netrc: CredentialOptions?
    /// The fields that `-H` removes, in lower case.
    private let omittedFields: Set<String>

    /// - Parameter given: the fields of `-H`.
    init(_ fields: FieldOptions, given: [HeaderOption], _ trust: TrustOptions, _ transfer: TransferOptions) {
        (self.trust, routes, egress) = (trust, transfer.routes, transfer.egress)
        (unixSocket, abstractUnixSocket) = (transfer.unixSocket, transfer.abstractUnixSocket)
        (hsts, cache) = (transfer.hsts, transfer.cache)
        let credentials = fields.credentials
        probesForDigest = credentials.usesDigest
        // As in curl, also where a redirect leads to another host.
        let isAuthenticated =
            credentials.option != nil || given.contains { $0.name.lowercased() == "authorization" }
        netrc = isAuthenticated || !credentials.readsNetrc ? nil : credentials
        omittedFields = Set(given.compactMap(\.omittedName))
    }

    /// - Parameter isSilent: whether lines of files that are left out are not told.
    func configuration(_ storages: KeptStorages, isSilent: Bool) throws -> SessionConfiguration {
        var configuration = try trust.configuration()
        configuration.probesForDigest = probesForDigest
        configuration.netrc = try netrc?.netrc(isSilent: isSilent)
        configuration.httpAdditionalHeaders["User-Agent"] = "tern/\(Version.current)"
        for name in omittedFields { configuration.httpAdditionalHeaders[name] = nil }
        configuration.hstsStorage = try hsts.map { try storages.hosts(in: $0, isSilent: isSilent) }
        configuration.urlCache = try cache.map(storages.cache)
        // As in curl, whose limit ends a loop.
        configuration.endsRedirectLoops = false
        configuration.unixSocket = try socketName()
        configuration.egressPolicy = egress.policy
        try routes.apply(to: &configuration)
        return configuration
    }

    func policies() throws -> ServerTrustPolicyManager? { try trust.policiesForEveryHost() }

    private func socketName() throws -> UnixSocketName? {
        do throws(InvalidUnixSocketName) {
            if let unixSocket { return try UnixSocketName(path: unixSocket) }
            return try abstractUnixSocket.map { name throws(InvalidUnixSocketName) in try UnixSocketName(abstract: name)
            }
        } catch {
            throw UsageError("\(unixSocket == nil ? "--abstract-unix-socket" : "--unix-socket"): \(error)")
        }
    }
}

/// The sessions of a run of the command: one for each set of options that are a session's, with storages, cookies and
/// rates in common.
final class SessionRegistry {
    private let isSilent: Bool
    private let cookies: HTTPCookieStorage?
    private let requestsPerSecond: Double?
    /// How many requests run at a time.
    private let width: Int
    private let observers: [any SessionObserver]
    private let storages = KeptStorages()
    private var sessions: [(options: SessionOptions, session: Session)] = []

    init(
        isSilent: Bool, cookies: HTTPCookieStorage? = nil, rate: RequestRate? = nil, width: Int = 1,
        observers: [any SessionObserver] = []
    ) {
        (self.isSilent, self.cookies, self.width, self.observers) = (isSilent, cookies, width, observers)
        requestsPerSecond = rate?.requestsPerSecond
    }

    func session(for options: SessionOptions) throws -> Session {
        if let known = sessions.first(where: { $0.options == options }) { return known.session }
        var configuration = try options.configuration(storages, isSilent: isSilent)
        configuration.httpCookieStorage = cookies
        configuration.rateLimit = requestsPerSecond.map { RateLimit(requestsPerSecond: $0) }
        configuration.observers = observers
        configuration.httpMaximumConnectionsPerHost = max(configuration.httpMaximumConnectionsPerHost, width)
        let session = Session(
            configuration: configuration, serverTrustPolicyManager: try options.policies(),
            sharingRatesOf: sessions.first?.session)
        sessions.append((options, session))
        return session
    }

    /// Writes what is kept beyond the command.
    func save() throws { try storages.save(isSilent: isSilent) }
}
