// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
public import TernTLS

/// The settings of a session. Read once, when the session is created.
public struct SessionConfiguration: Sendable {
    /// The maximum number of concurrent connections to one origin, or to one Unix domain socket, 1 or more; further
    /// requests wait. Connections that a stream has taken over do not count. Of a session with more threads than this
    /// number, as many serve one origin, whatever the thread that starts the task.
    public var httpMaximumConnectionsPerHost = 16
    /// Makes the limit per host adapt to servers that are overloaded, between this number, 1 or more, and
    /// ``httpMaximumConnectionsPerHost``, with which it begins: an answer of 429 or 503, or a timeout, halves it, and as
    /// many other answers as it lets through at once raise it by one. Nil, the default, for a fixed limit.
    public var httpMinimumConnectionsPerHost: Int?
    /// The maximum number of concurrent connections of the session, 1 or more; nil, the default, for no other limit than
    /// that per host. Where more hosts want connections, idle ones are closed first, and each host then gets one in turn,
    /// for four requests if as many wait: one host delays a request to another one by at most as long as four requests take.
    public var maximumConnections: Int?
    /// The maximum number of requests that wait for a connection to one origin; a further one fails with `queueFull`.
    public var maximumQueuedRequestsPerHost = 100_000
    /// How many requests of the session may begin, and how many bytes may pass, in a second; nil, the default, for no limit.
    public var rateLimit: RateLimit?
    /// The same for each host, whatever the port; nil, the default, for no limit.
    public var rateLimitPerHost: RateLimit?
    /// How long an idle connection is kept. Shorter than most servers keep it, so that they seldom close it while a
    /// request is being sent. A server's own `Keep-Alive: timeout` shortens it, less a second.
    public var maximumIdleTime = Duration.seconds(30)
    /// The maximum number of idle connections to one origin that are kept; one more closes the one that has been idle
    /// longest. Nil, the default, for as many as there may be.
    public var maximumIdleConnectionsPerHost: Int?
    /// The maximum number of idle connections of the session that are kept; one more closes the one that has been idle
    /// longest. Each reactor has its share. Nil, the default, for a quarter of the descriptors that the process may open
    /// (256 of the usual 1,024), or ``httpMaximumConnectionsPerHost`` if that is more: a server that redirects to many hosts
    /// leaves a connection to each. Where descriptors run out all the same, idle connections of all sessions are closed
    /// before a connection fails.
    public var maximumIdleConnections: Int?
    /// How long after it was opened a connection carries new requests, so that a load balancer can move them to another
    /// server; nil, the default, for no limit. Connections that are opened together are closed apart: each at a
    /// moment of its own in the last tenth of this time. A request that runs then is finished.
    public var maximumConnectionAge: Duration?
    /// The maximum number of requests on one connection, 1 or more; nil, the default, for no limit. A server's own
    /// `Keep-Alive: max` is kept to, less one.
    public var maximumRequestsPerConnection: Int?
    /// Who is told what the tasks and the connections of the session do, in this order: logs, metrics, traces. By default
    /// nobody.
    public var observers: [any SessionObserver] = []
    /// The timeouts of requests that set none.
    public var timeouts = Timeouts()
    /// How long a delegate may take to answer a server trust challenge. ``Timeouts/connect`` does not run meanwhile.
    public var challengeTimeout = Duration.seconds(60)
    /// How redirects are handled, for requests without a policy of their own.
    public var redirectPolicy = RedirectPolicy.follow()
    /// Whether a permanent redirect that answers the same request again ends the task, before the policy's limit does.
    package var endsRedirectLoops = true
    /// Whether gzip and deflate, and br and zstd with their traits, are requested and decoded, for requests without a
    /// setting of their own; bodies with unknown codings are delivered undecoded.
    public var decodesContent = true
    /// The maximum costs of decoding a body.
    public var contentDecodingLimits = ContentDecodingLimits()
    /// Whether a task waits, instead of failing, while this machine has no network that leads to the server: the kernel
    /// knows no route, or names cannot be resolved and there is no route to the internet. It tries again when links,
    /// addresses or routes have changed. ``Timeouts/total`` continues meanwhile; set it, or the wait has no end. False by
    /// default, and without effect for loopback, for Unix domain sockets and for raw streams.
    public var waitsForConnectivity = false
    /// Whether the session is one that Linux cannot have: it has no reactors, and its tasks fail for that reason.
    package var isBackground = false
    /// Whether the session does what URLSession does unasked: a POST whose request has content and no `Content-Type` gets
    /// that of a form, and errors have the whole URL of the request.
    package var followsURLSession = false
    /// What answers requests in place of the network and of the cache, in the order in which they are asked; nil for what is
    /// registered for the whole process.
    package var responseProviders: [any ResponseProvider]?
    /// Whether and when requests without a policy of their own are sent again. By default once, if a kept-alive connection
    /// was lost without a response and repeating is safe; ``RetryPolicy/standard`` retries what may be temporary.
    public var retryPolicy = RetryPolicy.lostConnections
    /// Holds requests to a host back while too many of them fail; nil, the default, for none. Each session has the states of
    /// its hosts for itself.
    public var circuitBreaker: CircuitBreaker?
    /// The Unix domain socket of all servers, including the targets of redirects, for requests without one of their
    /// own; nil connects to hosts and ports. The session's own requests, such as those about revocation, always use the
    /// network.
    public var unixSocket: UnixSocketName?
    /// Opens the connections of requests without a dialer or a Unix domain socket of their own, those of redirects and of raw
    /// streams included, in place of ``unixSocket``; nil, the default, resolves hosts and connects. The session's own
    /// requests, such as those about revocation, always use the network.
    public var dialer: ConnectionDialer?
    /// Where connections come from, and how the kernel probes them, for requests without options of their own. Also for raw
    /// streams and for the session's own requests.
    public var socketOptions = SocketOptions()
    /// Where connections may lead, those of redirects, of raw streams and of the session's own requests included; nil, the
    /// default, for everywhere. A request may have a policy of its own, too, which then refuses besides.
    public var egressPolicy: EgressPolicy?
    /// Which requests go through which proxy; nil, the default, for direct connections. Environment variables have no
    /// effect unless ``ProxySettings/environment(_:)`` is set here. Without effect for requests with a Unix domain socket.
    public var proxySettings: ProxySettings?
    /// Trust anchors and protocol versions for proxies that are connected to over TLS; nil, the default, for those of
    /// ``tls`` without its identity, which is for origins.
    public var proxyTLS: TLSSettings?
    /// The trust policies of proxies that are connected to over TLS, also for the session's own requests; nil, the
    /// default, for those that the session has at that moment.
    public var proxyTrustPolicyManager: ServerTrustPolicyManager?
    /// The version of the PROXY protocol, whose header tells origins the addresses of this connection; nil, the default, for
    /// none. Servers that do not expect it refuse it.
    public var proxyProtocol: ProxyProtocol?
    /// Finds the addresses of hosts, also for the session's own requests; nil, the default, for the system's look-up.
    public var resolver: (any HostResolver)?
    /// The addresses that connections use, also those of the session's own requests; of IPv4 and IPv6 by default. The next
    /// address is tried when one has failed or has not answered for 250 ms (RFC 8305).
    public var addressFamily = AddressFamily.any
    /// The addresses of single hosts, which no resolver is asked for. Those of a request come first. The session's own
    /// requests use them, too.
    public var addressOverrides: [AddressOverride] = []
    /// Other hosts and ports to connect to than those of URLs. Those of a request come first. The session's own requests,
    /// such as those about revocation, connect to the hosts of their URLs.
    public var endpointOverrides: [EndpointOverride] = []
    /// Keeps cookies between requests; nil, the default, for none. Sessions may share one, such as
    /// `HTTPCookieStorage.shared`.
    public var httpCookieStorage: HTTPCookieStorage?
    /// Whether stored cookies are sent.
    public var httpShouldSetCookies = true
    /// From which responses the storage takes cookies, as far as its own policy lets it.
    public var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
    /// Remembers the hosts that want to be requested over TLS only, and makes https URLs of their http URLs (RFC 6797);
    /// nil, the default, for none. Sessions may share one.
    public var hstsStorage: HSTSStorage?
    /// Stores responses, and answers requests with them; nil, the default, for none. Sessions may share one, such as
    /// ``URLCache/shared``.
    public var urlCache: URLCache?
    /// Records what servers answer, or answers in their place, for tests; nil, the default, for neither. Sessions may share
    /// one. The session's own requests, such as those about revocation, are not recorded.
    public var cassette: Cassette?
    /// How the cache answers requests that leave it to the session.
    public var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    /// Authenticates requests, and refreshes their credentials: usually an ``AuthenticationInterceptor``. Nil, the
    /// default, for none. A fresh credential is applied on the reactor; a refresh waits on another thread.
    public var authentication: (any RequestAuthentication)?
    /// The names and passwords for hosts, for hops that nothing else authenticates: the request's own `Authorization`
    /// field and credential, a name and a password in its URL, the session's fields and ``authentication`` come first, and
    /// of a URL with a name alone the name chooses the password. A redirect to another origin is authenticated with the
    /// entry that names its host, if there is one. Nil, the default, for none.
    public var netrc: Netrc?
    /// Keeps the credentials that servers accept, and proposes them where a server requests one; nil, the default, for
    /// none. Sessions may share one, such as ``CredentialStorage/shared``. What else authenticates a hop, as for
    /// ``netrc``, and the netrc file come first.
    public var urlCredentialStorage: CredentialStorage?
    /// Whether a request with content whose credential may be sent by Digest only goes without the content first, to
    /// learn the server's challenge, as in curl.
    package var probesForDigest = false
    /// The same for the challenge of a proxy. Content that can be read once always waits for it.
    package var probesForProxyDigest = false
    /// Whether a tunnel through the proxy leads to the addresses of ``addressOverrides``, also where the proxy would get
    /// whole requests. In curl it gets them, and resolves the host.
    package var tunnelsToOverriddenAddresses = true
    /// Fields added to every request that has no field of that name.
    public var httpAdditionalHeaders: HeaderFields = ["Accept": "*/*", "User-Agent": "Tern"]
    /// The header fields whose values are secret in every request, besides those that always are and those that a
    /// request marks itself.
    public var sensitiveFields = SensitiveFields()
    /// The maximum length in bytes of a body that `data(for:)` collects. Streams have no such limit.
    public var maximumCollectedBodySize = 64 * 1024 * 1024
    /// Bounds all bodies that are being collected at a time, of all sessions that share it; nil, the default, for no
    /// such bound.
    public var memoryQuota: MemoryQuota?
    /// Trust anchors and protocol versions.
    public var tls = TLSSettings()
    /// Anchors, client certificates, revocation lists and policies that are read from files, in the place of those of the
    /// configuration, and again whenever the files change; nil, the default, for none. Sessions may share one.
    public var trustFiles: TrustFiles?
    /// The maximum sizes of a response head and of chunk framing.
    public var limits = ParsingLimits()
    /// The rules of HTTP/1.1 that servers may break; none by default. Each option documents its risk.
    public var leniency: ParsingLeniency = []
    /// The number of threads of the session; nil shares the process's reactors (one for every two processors).
    public var reactorCount: Int?
    /// A clock that a test moves, by which all deadlines and delays of the session pass; nil, the default, for the
    /// kernel's. The session then has threads of its own: ``reactorCount``, or one.
    public var clock: TestClock?

    /// Creates a configuration with default values for those not given.
    public init() {}

    /// The settings of a session created without a configuration.
    public static var `default`: SessionConfiguration { SessionConfiguration() }
}

extension SessionConfiguration {
    /// A socket takes the place of hosts and proxies.
    var effectiveProxySettings: ProxySettings? { unixSocket == nil || dialer != nil ? proxySettings : nil }

    /// For the handshakes with proxies.
    var forProxies: SessionConfiguration {
        var configuration = self
        var tls = tls
        tls.identity = nil
        configuration.tls = proxyTLS ?? tls
        // What a proxy's certificate names is not fetched through that proxy.
        configuration.proxySettings = nil
        return configuration
    }

    /// Of each collected body.
    package var bodyLimits: BodyLimits { BodyLimits(size: maximumCollectedBodySize, quota: memoryQuota) }

    /// Without the field for proxies, which is no field for origins.
    var hopFields: HopFields {
        var fields = httpAdditionalHeaders
        fields.removeAll(named: HopFields.ofProxies)
        return HopFields(fields, sensitive: sensitiveFields, decodesContent: decodesContent)
    }
}

extension SessionConfiguration {
    /// Nil for the system's look-up of every host, and nothing else.
    var nameRules: NameRules? {
        let family = addressFamily == .any ? nil : addressFamily
        return NameRules(
            addressOverrides: addressOverrides, endpointOverrides: endpointOverrides, family: family
        ).ifAny
    }

    /// What the configuration's overrides say about the host of a request: the endpoint in its place, or nil, and whether
    /// its addresses are known.
    package func overrides(for request: URLRequest) -> (endpoint: HTTPOrigin, isElsewhere: Bool, isResolved: Bool)? {
        guard let names = nameRules, let origin = try? request.destination.get().origin else { return nil }
        let endpoint = names.endpoint(for: origin)
        return (endpoint, endpoint != origin, names.override(for: endpoint) != nil)
    }
}

// URLSession's names.
extension SessionConfiguration {
    /// The maximum number of seconds without a byte during a request: ``Timeouts/idle``; 0 or less, or infinity, for
    /// none. Below the 10 of ``Timeouts/connect`` it is also the time to open a connection, unless that was chosen beside
    /// it.
    public var timeoutIntervalForRequest: Double {
        get { timeouts.interval }
        set { timeouts.interval = newValue }
    }

    /// The maximum number of seconds from `resume()` to completion: ``Timeouts/total``; 0 or less, or infinity, for
    /// none.
    public var timeoutIntervalForResource: Double {
        get { timeouts.total?.inSeconds ?? .infinity }
        set { timeouts.total = Duration(limit: newValue) }
    }
}
