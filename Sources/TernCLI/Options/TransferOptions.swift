// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// Redirects, retries and timeouts of a request, with curl's option names.
struct TransferOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle("-L", "--location", help: "Follow redirects, but not from https to http.") { $0.isFollowing = $1 },
            .toggle(
                "--location-trusted",
                help: "As -L, and send credentials and cookies of the options to other origins, too."
            ) {
                ($0.isFollowing, $0.keepsCredentials) = ($1, $1)
            },
            .toggle("--post301", help: "With -L, repeat a POST after a 301, too, in place of GET.") {
                $0.keepPost(after: 301, $1)
            },
            .toggle("--post302", help: "With -L, repeat a POST after a 302, too, in place of GET.") {
                $0.keepPost(after: 302, $1)
            },
            .toggle("--post303", help: "With -L, repeat a POST after a 303, too, in place of GET.") {
                $0.keepPost(after: 303, $1)
            },
            .value(
                "--max-redirs", as: "number",
                help: "The maximum number of redirects to follow, 50 unless given; -1 sets no limit."
            ) { $0.redirects = try $1.integer() },
            .group(\.schemes),
            .group(\.routes.proxy, "Proxies"),
            .toggle("--allow-downgrade", help: "Follow redirects from https to http, too, as curl does.") {
                $0.allowsDowngrade = $1
            },
            .value(
                "--hsts", as: "file",
                help: """
                    Request the hosts in this file over TLS only, and add those that want it (RFC 6797) when all is done; "" \
                    remembers them until then.
                    """
            ) { $0.hsts = $1.text },
            .value(
                "--cache", as: "folder",
                help: """
                    Store responses in this folder, and answer requests with what is stored there (RFC 9111). Other runs, and \
                    other programs with Tern, may use the folder at the same time; it must be empty or have been made so. Stale \
                    responses that may answer are confirmed before the command ends, within 10 s. -v tells how the cache \
                    handled each request.
                    """
            ) { $0.cache = $1.text },
            .value(
                "--retry", as: "number",
                help: """
                    Retry this often if the host is not found, a timeout passes, or the status is 408, 429, 500, 502, 503 or \
                    504: after 1 s, 2 s, 4 s …, or at the time in Retry-After, if that is later but within an hour. With -C - \
                    also if the connection is lost: the file is continued where it stopped.
                    """
            ) { $0.retries = try $1.count() },
            .value("--retry-delay", as: "seconds", help: "The delay before each --retry; 0 doubles from 1 s.") {
                $0.retryDelay = try $1.number()
            },
            .value(
                "--retry-max-time", as: "seconds",
                help: "The maximum time from the first attempt to the start of a --retry; 0 is no limit."
            ) { $0.retryMaximumTime = try $1.number() },
            .toggle("--retry-connrefused", help: "With --retry, also retry if the connection is refused.") {
                $0.retriesRefusals = $1
            },
            .toggle(
                "--retry-all-errors",
                help: "With --retry, retry after every error; with -f also after every status of 400 or more."
            ) { $0.retriesEverything = $1 },
            .value(
                "--connect-timeout", as: "seconds",
                help: "The maximum time to connect, in seconds; 0 is no limit of its own."
            ) {
                $0.connectTimeout = try $1.number()
            },
            .value(
                "-m", "--max-time", as: "seconds",
                help:
                    "The maximum time in all, in seconds, for each --retry separately; no retry waits longer. 0 is no limit."
            ) { $0.maximumTime = try $1.number() },
            .value(
                "-Y", "--speed-limit", as: "bytes",
                help: "Fail if fewer bytes than this come and go in a second, for the time of -y: 30 s unless given."
            ) { $0.slowest = try $1.count() },
            .value(
                "-y", "--speed-time", as: "seconds",
                help: "Fail if fewer bytes than those of -Y, 1 unless given, come and go in a second for this time."
            ) { $0.slowTime = try $1.count() },
            .value(
                "--expect100-timeout", as: "seconds",
                help:
                    "The maximum wait for \"100 Continue\" before a body is sent; 1 by default. Requested if the body "
                    + "has more than 1 MB or no known length, or by -H 'Expect: 100-continue'."
            ) { $0.continueTimeout = try $1.number() },
            .value(
                "--unix-socket", as: "path",
                help: "Connect to this Unix domain socket instead of the URL's host and port."
            ) { ($0.unixSocket, $0.abstractUnixSocket) = ($1.text, nil) },
            .value(
                "--abstract-unix-socket", as: "name",
                help: "Connect to the Unix domain socket of this name in Linux's abstract namespace."
            ) {
                ($0.unixSocket, $0.abstractUnixSocket) = (nil, $1.text)
            },
            .group(\.routes.names),
            .group(\.routes.connection),
            .value(
                "--limit-rate", as: "bytes",
                help: """
                    The maximum number of bytes in a second in each direction, for each URL separately; K, M, G, T and P \
                    count in powers of 1024, and 0 is no limit.
                    """
            ) { $0.bytesPerSecond = try $1.read(ByteCount.init(argument:)) },
            .value(
                "--egress", as: "reach",
                help: """
                    Connect only to these addresses, also after redirects: "public" for those of the public internet, \
                    "machine" for this machine's, "none" for those of --egress-allow.
                    """
            ) { $0.egress.reach = try $1.read(EgressOption.reach) },
            .value(
                "--egress-allow", as: "networks", repeats: true,
                help: """
                    Connect to addresses in these networks, too, such as 10.1.0.0/16,2001:db8::/32; without --egress to \
                    no others.
                    """
            ) { try $0.egress.add($1.text, to: \.allowed, "--egress-allow") },
            .value(
                "--egress-deny", as: "networks", repeats: true,
                help: "Connect to no address in these networks, whatever else is allowed."
            ) { try $0.egress.add($1.text, to: \.denied, "--egress-deny") },
            .value(
                "--max-filesize", as: "bytes",
                help: """
                    Fail if the body is larger, announced or not; K, M, G, T and P count in powers of 1024, and 0 is no limit.
                    """
            ) {
                let size = try $1.read(ByteCount.init(argument:))
                $0.maximumBodySize = size.bytes == 0 ? nil : size
            })
    }

    /// As in curl.
    private static let maximumRedirects = 50

    var isFollowing = false
    /// Whether credentials follow a redirect to another origin.
    var keepsCredentials = false
    /// The statuses after which a POST stays one.
    var keptPosts: Set<Int> = []
    var redirects: Int?
    var schemes = SchemeOptions()
    var routes = RouteOptions()
    var allowsDowngrade = false
    var hsts: String?
    var cache: String?
    var retries = 0
    var retryDelay: Double?
    var retryMaximumTime: Double?
    var retriesRefusals = false
    var retriesEverything = false
    var connectTimeout: Double?
    var maximumTime: Double?
    var continueTimeout: Double?
    var slowest: Int?
    var slowTime: Int?
    var unixSocket: String?
    var abstractUnixSocket: String?
    var bytesPerSecond: ByteCount?
    var egress = EgressOption()
    var maximumBodySize: ByteCount?

    func validate() throws {
        if let redirects, redirects < -1 { throw UsageError("--max-redirs: give 0 or more, or -1 for no limit") }
        _ = try Self.duration(retryMaximumTime, "--retry-max-time")
        if let retryDelay {
            guard retryDelay >= 0, retryDelay <= 1e9 else {
                throw UsageError("--retry-delay: give seconds from 0 to 1e9")
            }
        }
    }

    /// Nil without `-y` and `-Y`; 0 turns them off.
    var speedLimit: SpeedLimit? {
        guard slowest != nil || slowTime != nil else { return nil }
        let limit = SpeedLimit(bytesPerSecond: slowest ?? 1, seconds: slowTime ?? 30)
        return limit.bytesPerSecond > 0 && limit.seconds > 0 ? limit : nil
    }

    private mutating func keepPost(after status: Int, _ isKept: Bool) {
        if isKept { keptPosts.insert(status) } else { keptPosts.remove(status) }
    }

    /// curl's rules: waits double from one second to ten minutes, and none is longer than an hour. There is no budget, and
    /// every method is repeated: a person sends the request. Nil without `--retry`.
    ///
    /// - Parameters:
    ///   - continues: whether a file is continued: then a lost connection may be followed by another, whatever curl does
    ///     about a whole body.
    ///   - refused: whether responses with such statuses are errors.
    func retryPolicy(continues: Bool = false, refused: Range<Int>? = nil) -> RetryPolicy? {
        if retries == 0 { return nil }
        func limit(_ seconds: Double?) -> Duration? { seconds.flatMap { $0 > 0 ? .seconds($0) : nil } }
        var policy = RetryPolicy()
        policy.maximumRetries = retries
        policy.failures = retriesEverything ? .all : [.unresolved, .timedOut, .outOfTime]
        if retriesRefusals { policy.failures.insert(.refused) }
        if continues { policy.failures.insert(.connectionLost) }
        policy.statusCodes = [408, 429, 500, 502, 503, 504]
        if retriesEverything, let refused { policy.statusCodes.formUnion(refused) }
        policy.requests = .all
        let fixed = limit(retryDelay)
        policy.backOff = .init(base: fixed ?? .seconds(1), maximum: fixed ?? .seconds(600), jitter: .none)
        policy.maximumDelay = max(.seconds(3600), fixed ?? .zero)
        if let limit = limit(maximumTime) { policy.maximumDelay = min(policy.maximumDelay, limit) }
        policy.maximumTime = limit(retryMaximumTime)
        policy.budget = nil
        policy.limitsEachAttempt = true
        return policy
    }

    /// - Throws: a usage error for a time that is none.
    func timeouts() throws -> Timeouts {
        var timeouts = Timeouts()
        if let limit = try Self.duration(connectTimeout, "--connect-timeout") { timeouts.connect = limit }
        if let continueTimeout {
            // 0 is no wait.
            timeouts.continue = try Self.duration(continueTimeout, "--expect100-timeout") ?? .milliseconds(1)
        }
        if let limit = try Self.duration(maximumTime, "--max-time") { timeouts.total = limit }
        return timeouts
    }

    func apply(to request: inout URLRequest) {
        let limit = redirects ?? Self.maximumRedirects
        request.redirectPolicy =
            isFollowing ? .follow(limit: limit < 0 ? .max : limit, allowsDowngrade: allowsDowngrade) : .never
        request.maximumBytesPerSecond = bytesPerSecond?.bytes
    }

    /// As in curl, 0 is no limit.
    ///
    /// - Returns: nil for none.
    static func duration(_ seconds: Double?, _ option: String) throws -> Duration? {
        guard let seconds, seconds != 0 else { return nil }
        guard seconds > 0, seconds <= 1e9 else {
            throw UsageError("\(option): give seconds from 0, which is no limit, to 1e9")
        }
        return .seconds(seconds)
    }

}

/// The values of `-Y` and `-y`.
struct SpeedLimit: Hashable {
    let bytesPerSecond: Int
    let seconds: Int
}

/// The values of `--egress`, `--egress-allow` and `--egress-deny`.
struct EgressOption: Equatable {
    /// A preset; nil for no such option.
    var reach: EgressPolicy?
    var allowed: [IPNetwork] = []
    var denied: [IPNetwork] = []

    /// Nil without one of the options.
    var policy: EgressPolicy? {
        if reach == nil, allowed.isEmpty, denied.isEmpty { return nil }
        var policy = reach ?? EgressPolicy(reach: allowed.isEmpty ? .everywhere : .allowedNetworks)
        // Without a preset, the lists are about addresses alone.
        if reach == nil { policy.allowsUnixSockets = true }
        policy.allowedNetworks += allowed
        policy.deniedNetworks += denied
        return policy
    }

    static func reach(_ text: String) -> EgressPolicy? {
        switch text {
        case "public": .publicInternet
        case "machine": .thisMachine
        case "none": EgressPolicy(reach: .allowedNetworks)
        default: nil
        }
    }

    /// Adds the networks of a list that commas separate.
    mutating func add(_ text: String, to list: WritableKeyPath<Self, [IPNetwork]>, _ option: String) throws {
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            do throws(InvalidIPNetwork) {
                self[keyPath: list].append(try IPNetwork(String(item)))
            } catch {
                throw UsageError("\(option): \(error)")
            }
        }
    }
}

/// The allowed schemes, with curl's option names.
struct SchemeOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--proto", as: "schemes",
                help:
                    "Allow these schemes: \"=https\" only https, \"-http\" all but http. Schemes that tern does not support are ignored."
            ) { $0.allowed = $1.text },
            .value(
                "--proto-redir", as: "schemes",
                help: "Allow these in redirects, if --proto allows them, too."
            ) { $0.allowedInRedirects = $1.text })
    }

    private static let all: Set = ["http", "https"]

    var allowed: String?
    var allowedInRedirects: String?

    var schemes: Set<String> { allowed.map(Self.schemes(in:)) ?? Self.all }

    /// The schemes that a redirect may lead to.
    var redirectSchemes: Set<String> {
        schemes.intersection(allowedInRedirects.map(Self.schemes(in:)) ?? Self.all)
    }

    /// - Throws: curl's failure for a scheme that is not allowed.
    func check(_ target: RequestedURL) throws {
        guard let scheme = target.url.scheme?.lowercased(), !schemes.contains(scheme) else { return }
        throw CommandFailure(.failure, "\"\(target.text.prefix(200))\": --proto does not allow \(scheme)")
    }

    /// As in curl: "=" replaces the allowed schemes, "+" or no sign adds to them, "-" removes from them.
    private static func schemes(in list: String) -> Set<String> {
        var allowed = all
        for item in list.lowercased().split(separator: ",") {
            let name = String(item.drop { "=+-".contains($0) })
            let named = name == "all" ? all : all.intersection([name])
            switch item.first {
            case "=": allowed = named
            case "-": allowed.subtract(named)
            default: allowed.formUnion(named)
            }
        }
        return allowed
    }
}

/// A number of requests in a time, such as 10 (an hour), 5/s or 1/30m.
struct RequestRate: Equatable {
    let requestsPerSecond: Double

    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.allSatisfy(\.isNumber), let number = Int(first), number > 0,
            let seconds = parts.count < 2 ? 3600 : Self.seconds(parts[1])
        else { return nil }
        requestsPerSecond = Double(number) / seconds
    }

    private static func seconds(_ text: Substring) -> Double? {
        let units = ["s": 1.0, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[String($0)] }) else { return nil }
        let digits = text.dropLast()
        if digits.isEmpty { return unit }
        guard digits.allSatisfy(\.isNumber), let count = Int(digits), count > 0 else { return nil }
        return Double(count) * unit
    }
}

/// A number of bytes, such as 4096, 64K or 2G.
struct ByteCount: Equatable {
    let bytes: Int

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let factor: Int
        switch argument.dropFirst(digits.count).uppercased() {
        case "", "B": factor = 1
        case "K": factor = 1 << 10
        case "M": factor = 1 << 20
        case "G": factor = 1 << 30
        case "T": factor = 1 << 40
        case "P": factor = 1 << 50
        default: return nil
        }
        guard let number = Int(digits) else { return nil }
        let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: factor)
        if isTooMuch { return nil }
        self.bytes = bytes
    }
}
