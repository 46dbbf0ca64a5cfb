// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1
public import TernIO
import TernLock

/// A request, with the names of Foundation's `URLRequest`. Headers keep their order, repeats and case.
///
/// A value: copies are independent, and cheap. The URL is parsed once, when it is set, so sending the same request
/// again parses nothing.
public struct URLRequest: Sendable {
    /// What a request consists of; copied whole, so that no property can be forgotten.
    private struct Parts {
        var url: URL?
        /// As it is encoded. Without a destination, its origin and target have no meaning.
        private(set) var head: RequestHead
        /// Whether a method was set, rather than defaulting to GET.
        var isMethodNamed: Bool
        var body: RequestBody?
        var timeouts: Timeouts?
        var redirectPolicy: RedirectPolicy?
        var decodesContent: Bool?
        var handlesCookies = true
        var cachePolicy = CachePolicy.useProtocolCachePolicy
        /// Whether `body` is that of an upload task.
        var isUpload = false
        /// What few requests have.
        var rare = Rare<RareParts>()

        init(
            url: URL? = nil, destination: Result<Destination, InvalidRequest>, method: String = "GET",
            isMethodNamed: Bool = false
        ) {
            self.url = url
            head = RequestHead(method: method, target: .asterisk, origin: Self.nowhere, fields: HeaderFields())
            self.isMethodNamed = isMethodNamed
            self.destination = destination
        }

        private static let nowhere = HTTPOrigin(scheme: .http, host: "", port: 0)

        var method: String {
            get { head.method }
            set { head.method = newValue }
        }

        var headers: HeaderFields {
            get { head.fields }
            _modify { yield &head.fields }
        }

        /// Whether a proxy gets the whole URL (RFC 9112 §3.2.2), and an origin does not.
        var isForProxy: Bool { if case .absolute = head.target { true } else { false } }

        var destination: Result<Destination, InvalidRequest> {
            @inline(__always)
            get {
                if let refusal = rare.parts?.refusal { return .failure(refusal) }
                return .success(Destination(origin: head.origin, target: head.target))
            }
            set {
                switch newValue {
                case .success(let destination):
                    (head.origin, head.target) = (destination.origin, destination.target)
                    rare.set(nil) { $0.refusal = $1 }
                case .failure(let error):
                    (head.origin, head.target) = (Self.nowhere, .asterisk)
                    rare.set(error) { $0.refusal = $1 }
                }
            }
        }
    }

    private struct RareParts: RareValue {
        /// Why there is no destination.
        var refusal: InvalidRequest?
        /// The source of `body`, if it can be read once; shared by all copies.
        var onceSource: SingleUseSource?
        var retryPolicy: RetryPolicy?
        var routeSettings: RouteSettings?
        var sensitiveFields: SensitiveFields?
        var credential: PasswordCredential?
        var signer: (any RequestSigner)?
        var maximumBytesPerSecond: Int?
        var compression: ContentCompression?
        var annex: (any Sendable)?
        var properties: [String: RequestProperty]?
    }

    /// The parts, shared by copies until one of them changes. Written only when uniquely referenced, which makes the
    /// class safe to send. Unchecked, because an access to the request is one to its parts, and that is checked: a copy
    /// that changes has the only reference.
    private final class Storage: ResponseContext, @unchecked Sendable {
        @safe @exclusivity(unchecked) fileprivate var owned: Owned

        /// What an object of this library made of the parts, and that object.
        fileprivate let made = Lock<(maker: any AnyObject & Sendable, value: any AnyObject & Sendable)?>(nil)

        init(_ parts: Parts) { owned = Owned(parts: parts) }

        override var url: URL? { owned.parts.url }
    }

    /// What cannot be copied is borrowed where it is read: nothing is retained. For what every request reads.
    private struct Owned: ~Copyable {
        var parts: Parts

        /// Of the destination; nil if the request cannot be sent.
        @inline(__always)
        var origin: HTTPOrigin? { parts.rare.parts?.refusal == nil ? parts.head.origin : nil }

        @inline(__always)
        var hasRetryPolicy: Bool { parts.rare.parts?.retryPolicy != nil }

        @inline(__always)
        var isReadOnce: Bool { parts.rare.parts?.onceSource != nil }

        @inline(__always)
        var isSigned: Bool { parts.rare.parts?.signer != nil }

        @inline(__always)
        var isCompressed: Bool { parts.rare.parts?.compression != nil }
    }

    private var storage: Storage

    /// Creates a GET request for `url`: for the whole of a relative one.
    public init(url: URL) {
        storage = Storage(Parts(url: Self.absolute(url), destination: Self.destination(of: url)))
    }

    /// The same with a method that an upload does not replace.
    init(url: URL, named method: String) {
        storage = Storage(Parts(url: url, destination: Self.destination(of: url), method: method, isMethodNamed: true))
    }

    /// A request that cannot be sent, and the reason.
    init(refused: InvalidRequest) {
        storage = Storage(Parts(destination: .failure(refused)))
    }

    /// A request without a URL, which cannot be sent.
    package init(withoutURL: Void) { self.init(refused: .missingURL) }

    /// Creates a GET request for the URL in `string`: of HTTP, or with the scheme `ws` or `wss` for a WebSocket.
    ///
    /// Characters that RFC 3986 does not allow in userinfo, path, query or fragment are percent-encoded, those beyond
    /// ASCII in UTF-8; brackets are not allowed there, and a `%` that begins no escape becomes `%25`. Escapes stay as
    /// they are. A host beyond ASCII becomes its name in DNS, `xn--…`. All else of scheme, host and port must be valid:
    /// `URL(string:)` may take a text without a scheme for a path and put escapes into a host. Blanks and line ends around
    /// the URL, as a line of a file or of a terminal has them, are left out.
    public init(string: String) throws(InvalidRequest) {
        let string = URL.withoutBlanksAround(string) ?? string
        if string.isEmpty { throw .missingURL }
        let text = URIReference.isPlain(string) ? string : URIReference(escaping: string.utf8).description
        let destination = try Self.destination(at: text)
        guard let url = URL(string: text, encodingInvalidCharacters: false) else { throw .malformedURL(string) }
        storage = Storage(Parts(url: url, destination: destination))
    }

    /// The URL of a WebSocket must be valid as that of its handshake (RFC 6455 §3). No other request can be sent there.
    private static func destination(at text: String) throws(InvalidRequest) -> Result<Destination, InvalidRequest> {
        do throws(InvalidRequest) {
            return .success(try Destination(absoluteString: text))
        } catch {
            guard case .unsupportedScheme(let scheme) = error, ["ws", "wss"].contains(scheme.lowercased()) else {
                throw error
            }
            _ = try Destination(absoluteString: "http" + text.dropFirst(2))
            return .failure(error)
        }
    }

    /// The same for a URL that a user typed: what is sent is as typed, like curl's, where ``url`` is escaped. Visible ASCII
    /// and dot segments stay, and bytes that are no UTF-8 become escapes of themselves.
    package init(typed bytes: some Sequence<UInt8>) throws(InvalidRequest) {
        let bytes = Array(bytes)
        try self.init(string: URIReference(escaping: bytes).description)
        let typed = URIReference(escaping: bytes, keeping: .visible).description
        storage.owned.parts.destination = .success(try Destination(absoluteString: typed, isTyped: true))
    }

    /// A path without its dot segments (RFC 3986 §5.2.4): that of a typed URL keeps them.
    package static func withoutDotSegments(_ path: String) -> String { URIReference.withoutDotSegments(path) }

    /// The request's URL; of a relative one the whole. An invalid one is reported when the request is sent. The path is sent
    /// without its dot segments, `/b` for `/a/../b` and `/a/%2e%2e/b` (RFC 3986 §6.2.2.3, WHATWG URL §4.4).
    public var url: URL? {
        get { storage.owned.parts.url }
        set {
            makeUnique()
            storage.owned.parts.url = newValue.map(Self.absolute)
            storage.owned.parts.destination = Self.destination(of: newValue)
        }
    }

    /// Sends this in place of the target that the URL has: a path with a query, a whole URL, or `*` (RFC 9112 §3.2).
    /// Setting ``url`` undoes it.
    ///
    /// - Throws: the error of the URL. An invalid target is reported when the request is sent.
    package mutating func setTarget(_ target: String) throws(InvalidRequest) {
        let origin = try storage.owned.parts.destination.get().origin
        let form: RequestTarget =
            target == "*" ? .asterisk : target.hasPrefix("/") ? .origin(target) : .absolute(target)
        makeUnique()
        storage.owned.parts.destination = .success(Destination(origin: origin, target: form))
    }

    /// The same request over TLS: to port 443 in place of 80, and to any other port as it is (RFC 6797 §8.3). Nil for one
    /// that goes over TLS already, or cannot be sent.
    var secured: URLRequest? {
        guard case .success(let destination) = storage.owned.parts.destination, destination.origin.scheme == .http,
            let reference = storage.owned.parts.url.map({ URIReference($0.absoluteString).secured }),
            let url = URL(string: reference.description, encodingInvalidCharacters: false)
        else { return nil }
        let port = destination.origin.port
        let origin = HTTPOrigin(scheme: .https, host: destination.origin.host, port: port == 80 ? 443 : port)
        var request = self
        request.makeUnique()
        request.storage.owned.parts.url = url
        request.storage.owned.parts.destination = .success(Destination(origin: origin, target: destination.target))
        return request
    }

    /// The method, "GET" by default; nil resets it. Methods are case-sensitive (RFC 9110 §9.1) and sent as written, but
    /// for get, head, post, put, delete and connect in any case: as in Foundation, they are read and sent in capitals.
    public var httpMethod: String? {
        get { storage.owned.parts.method }
        set { setMethod(asTyped: newValue.map(Self.capitalized)) }
    }

    /// Sets the method as it is, in any case; nil resets it.
    package mutating func setMethod(asTyped method: String?) {
        makeUnique()
        storage.owned.parts.method = method ?? "GET"
        storage.owned.parts.isMethodNamed = method != nil
    }

    /// The request's own header fields in the order of sending. `Host`, `Content-Length` and the session's
    /// `httpAdditionalHeaders` are added when it is sent. A `Content-Length` of its own is the length of a ``body`` without
    /// one, such as a stream, and must be exact; beside any other body, or a `Transfer-Encoding`, it must agree.
    public var headers: HeaderFields {
        get { storage.owned.parts.headers }
        set {
            makeUnique()
            storage.owned.parts.headers = newValue
        }
    }

    /// `headers` as a dictionary, and nil where there are none; the values of a repeated name are joined with a comma.
    public var allHTTPHeaderFields: [String: String]? {
        get {
            headers.isEmpty ? nil : headers.dictionary
        }
        set {
            headers = HeaderFields(
                (newValue ?? [:]).sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) })
        }
    }

    /// The body, if it is in memory; nil also if ``body`` is of another kind. Sent with a Content-Length.
    public var httpBody: Data? {
        get { if case .data(let data) = storage.owned.parts.body { data } else { nil } }
        set { body = newValue.map { .data($0) } }
    }

    /// The body: bytes, a file or a stream; nil for none.
    public var body: RequestBody? {
        get { storage.owned.parts.body }
        set {
            makeUnique()
            storage.owned.parts.body = newValue
            storage.owned.parts.isUpload = false
            let source: SingleUseSource? =
                if case .once(let source, _) = newValue { SingleUseSource(source) } else { nil }
            storage.owned.parts.rare.set(source) { $0.onceSource = $1 }
        }
    }

    /// The length of the body in bytes, if it is known before it is read: its own, or what the request's one Content-Length
    /// says of a body without. That is its framing, and must be exact. Any other value is refused when the request is sent.
    package var announcedContentLength: Int? {
        guard let body else { return nil }
        if let length = body.announcedLength { return length }
        let values = headers.values(for: "Content-Length")
        // Int(_:) would take a sign.
        guard values.count == 1, values[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(values[0])
    }

    /// Sets the body to that of an upload task.
    mutating func setUpload(_ content: RequestBody) {
        body = content
        storage.owned.parts.isUpload = true
    }

    /// Whether the body is that of an upload task.
    var isUpload: Bool { storage.owned.parts.isUpload }

    var onceSource: SingleUseSource? { storage.owned.parts.rare.parts?.onceSource }

    /// Whether a coded body is requested and decoded; nil uses the session's setting. A request with a `Range` field
    /// requests no coding, whatever this says.
    public var decodesContent: Bool? {
        get { storage.owned.parts.decodesContent }
        set {
            makeUnique()
            storage.owned.parts.decodesContent = newValue
        }
    }

    /// How redirects are handled; nil uses the session's setting.
    public var redirectPolicy: RedirectPolicy? {
        get { storage.owned.parts.redirectPolicy }
        set {
            makeUnique()
            storage.owned.parts.redirectPolicy = newValue
        }
    }

    @inline(__always)
    var hasRetryPolicy: Bool { storage.owned.hasRetryPolicy }

    /// Whether and when the request is sent again; nil uses ``SessionConfiguration/retryPolicy``.
    public var retryPolicy: RetryPolicy? {
        get { storage.owned.parts.rare.parts?.retryPolicy }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.retryPolicy = $1 }
        }
    }

    /// Adds an `Idempotency-Key` with a random UUID, if there is none: the server recognises a repeat by it, so the request
    /// may be sent again whatever its method is. All attempts of one task have the same key; make a new request, or remove
    /// the field, for another operation.
    ///
    /// For servers that document the field (draft-ietf-httpapi-idempotency-key-header): others process both requests.
    public mutating func addIdempotencyKey() {
        if headers["Idempotency-Key"] != nil { return }
        headers.append(HeaderField(name: "Idempotency-Key", value: "\"\(UUID().uuidString.lowercased())\""))
    }

    /// The Unix domain socket of the URL's server; nil uses the session's, or else the URL's host and port. The bytes
    /// sent stay the same, including `Host` and the name in the server's certificate.
    ///
    /// It belongs to the URL's origin: a redirect to another origin does not use it.
    public var unixSocket: UnixSocketName? {
        get { routeSettings?.socket }
        set { changeRoute { $0.socket = newValue } }
    }

    /// How many bytes of the request's connections may pass in a second in each direction, besides the rate limits of the
    /// session: heads and the framing of TLS included, all redirects together. Nil, the default, or a value that is not more
    /// than 0 for no limit.
    public var maximumBytesPerSecond: Int? {
        get { storage.owned.parts.rare.parts?.maximumBytesPerSecond }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.maximumBytesPerSecond = $1 }
        }
    }

    /// What a layer above keeps with the request; nothing here looks at it.
    package var annex: (any Sendable)? {
        get { storage.owned.parts.rare.parts?.annex }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.annex = $1 }
        }
    }

    /// Opens the connections of this request and of its redirects, in place of ``unixSocket``; nil uses the session's
    /// ``SessionConfiguration/dialer``, unless the request has a Unix domain socket. It gets the host of each hop.
    public var dialer: ConnectionDialer? {
        get { routeSettings?.dialer }
        set { changeRoute { $0.dialer = newValue } }
    }

    /// How the sockets of this request and of its redirects are set up; nil uses the session's
    /// ``SessionConfiguration/socketOptions``. A connection carries only requests with equal options.
    public var socketOptions: SocketOptions? {
        get { routeSettings?.socketOptions }
        set { changeRoute { $0.socketOptions = newValue } }
    }

    /// Where the connections of this request and of its redirects may lead, besides the session's
    /// ``SessionConfiguration/egressPolicy``: what one of the two refuses is refused. Nil, the default, leaves it to the
    /// session's.
    public var egressPolicy: EgressPolicy? {
        get { routeSettings?.egressPolicy }
        set { changeRoute { $0.egressPolicy = newValue } }
    }

    /// The addresses that connections of this request and of its redirects use; nil uses the session's setting.
    public var addressFamily: AddressFamily? {
        get { nameRules.family }
        set { nameRules.family = newValue }
    }

    /// The addresses of single hosts for this request and its redirects, before those of the session.
    public var addressOverrides: [AddressOverride] {
        get { nameRules.addressOverrides }
        set { nameRules.addressOverrides = newValue }
    }

    /// Other hosts and ports to connect to for this request and its redirects, before those of the session.
    public var endpointOverrides: [EndpointOverride] {
        get { nameRules.endpointOverrides }
        set { nameRules.endpointOverrides = newValue }
    }

    /// Whether later hops to a host, after redirects and challenges, connect to the address that the first hop to it was
    /// connected to, whatever its name is resolved to then. False by default. A later hop has a connection of its own.
    public var keepsAddress: Bool {
        get { nameRules.keepsAddress }
        set { nameRules.keepsAddress = newValue }
    }

    private var nameRules: NameRules {
        get { routeSettings?.names ?? NameRules() }
        set { changeRoute { $0.names = newValue.ifAny } }
    }

    /// The settings of the request's routes, as a whole; nil for the session's.
    var routeSettings: RouteSettings? {
        get { storage.owned.parts.rare.parts?.routeSettings }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.routeSettings = $1 }
        }
    }

    private mutating func changeRoute(_ change: (inout RouteSettings.Parts) -> Void) {
        routeSettings = RouteSettings.changing(routeSettings, change)
    }

    /// The proxy of this request and of its redirects, and of what is asked about the certificates of their servers;
    /// ``ProxyChoice/ofSession``, the default, leaves it to the session's ``SessionConfiguration/proxySettings``. Without
    /// effect for the connections of a request with a ``unixSocket``.
    public var proxy: ProxyChoice {
        get { routeSettings?.proxyChoice ?? .ofSession }
        set { changeRoute { $0.proxyChoice = newValue == .ofSession ? nil : newValue } }
    }

    /// Leaves an empty request, which learns what a server requests before it gets the content.
    package mutating func removeContent() {
        body = nil
        for name in ["Content-Length", "Transfer-Encoding", "Trailer", "Expect"] { headers.removeAll(named: name) }
    }

    /// The request with its URL as the target, without user information and fragment.
    func inAbsoluteForm() -> URLRequest {
        guard case .success(let destination) = storage.owned.parts.destination else { return self }
        let origin = destination.origin
        let place = "\(origin.scheme == .https ? "https" : "http")://\(origin.hostField)"
        let target: RequestTarget
        switch destination.target {
        case .origin(let path): target = .absolute(place + path)
        case .asterisk: target = .absolute(place)
        case .absolute, .authority: return self
        }
        var request = self
        request.makeUnique()
        request.storage.owned.parts.destination = .success(Destination(origin: origin, target: target))
        return request
    }

    /// The name and the password for a server that requests them (RFC 9110 §11.6.1); nil uses those in the URL. They are
    /// sent to the origin of the original request only, and a delegate is asked once they have been refused.
    public var credential: PasswordCredential? {
        get { storage.owned.parts.rare.parts?.credential }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.credential = $1 }
        }
    }

    /// Signs the request each time that it is sent: first, in a retry, beside another attempt, and after a redirect within
    /// the origin of the original request. What a redirect has led to another origin is sent without a signature, as it is
    /// without ``credential``. Nil, the default, for none.
    public var signer: (any RequestSigner)? {
        get { storage.owned.parts.rare.parts?.signer }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.signer = $1 }
        }
    }

    @inline(__always)
    var isSigned: Bool { storage.owned.isSigned }

    /// The coding in which the body is sent, with a `Content-Encoding` field; nil, the default, sends it as it is. For
    /// servers that are known to understand it. A body that has a `Content-Encoding` field already is left alone.
    ///
    /// Up to 64 KB in memory are sent with the length that they have then; more, files and streams are encoded while they
    /// are sent, in chunks (RFC 9112 §7.1). A server that does not know the coding, and says so with 415 and an
    /// `Accept-Encoding` field (RFC 7694 §3), gets the body as it is, if that can be sent again. A field that describes
    /// the body as it is sent, such as `Content-Digest`, is for a ``signer`` to add.
    public var compression: ContentCompression? {
        get { storage.owned.parts.rare.parts?.compression }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.compression = $1 }
        }
    }

    /// Whether the body is to be sent in a coding.
    @inline(__always)
    var isCompressed: Bool {
        storage.owned.isCompressed && storage.owned.parts.body != nil && headers["Content-Encoding"] == nil
    }

    /// Replaces the body by what it is in this coding.
    ///
    /// - Parameter source: what reads it, if that can be done once.
    mutating func setEncoded(_ content: RequestBody, readOnceBy source: SingleUseSource? = nil, _ coding: ContentCoding)
    {
        makeUnique()
        storage.owned.parts.body = content
        storage.owned.parts.rare.set(source) { $0.onceSource = $1 }
        headers["Content-Length"] = nil
        headers.append("Content-Encoding", coding.rawValue)
    }

    /// What a `URLProtocol` has noted about the request, by key. Nothing of it is sent.
    package var properties: [String: RequestProperty] {
        get { storage.owned.parts.rare.parts?.properties ?? [:] }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue.isEmpty ? nil : newValue) { $0.properties = $1 }
        }
    }

    /// How the session's cache answers the request; ``CachePolicy/useProtocolCachePolicy``, the default, leaves it to the
    /// session's ``SessionConfiguration/requestCachePolicy``. No effect in a session without a cache.
    public var cachePolicy: CachePolicy {
        get { storage.owned.parts.cachePolicy }
        set {
            makeUnique()
            storage.owned.parts.cachePolicy = newValue
        }
    }

    /// Whether the body can be read from its beginning: there is none, it can be read again, or it has not been read.
    var isReplayable: Bool {
        guard let body = storage.owned.parts.body, !body.isReplayable else { return true }
        return onceSource?.isUntouched ?? false
    }

    /// The timeouts of this request; nil uses the session's.
    public var timeouts: Timeouts? {
        get { storage.owned.parts.timeouts }
        set {
            makeUnique()
            storage.owned.parts.timeouts = newValue
        }
    }

    /// Whether the session's cookie storage sends cookies with this request and takes those of its responses; true by
    /// default. A `Cookie` field among ``headers`` is sent behind the storage's cookies, in the same field.
    public var httpShouldHandleCookies: Bool {
        get { storage.owned.parts.handlesCookies }
        set {
            makeUnique()
            storage.owned.parts.handlesCookies = newValue
        }
    }

    /// The header fields of this request with secret values, besides those that always are:
    /// `request.sensitiveFields.insert("X-Api-Key")`. The marks are kept with the request and are not sent.
    public var sensitiveFields: SensitiveFields {
        get { storage.owned.parts.rare.parts?.sensitiveFields ?? SensitiveFields() }
        set {
            makeUnique()
            storage.owned.parts.rare.set(newValue) { $0.sensitiveFields = $1 }
        }
    }

    /// Whether the value of this header field is secret: always, or because it is marked in ``sensitiveFields``.
    public func isSensitive(fieldNamed name: String) -> Bool { sensitiveFields.contains(name) }

    /// The value of a header field, whatever the case of its name; repeats are joined with a comma.
    public func value(forHTTPHeaderField name: String) -> String? {
        storage.owned.parts.headers[name]
    }

    /// Replaces every field of that name, and keeps the spelling of the first, as Foundation does; nil removes them.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        makeUnique()
        storage.owned.parts.headers.setValue(value, for: name)
    }

    /// Adds a value to the field of that name, behind a comma if there is one already, as Foundation does.
    /// `headers.append` adds a field of its own.
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {
        makeUnique()
        storage.owned.parts.headers.addValue(value, for: name)
    }

    /// The host of the URL in lower case, without brackets; nil if the URL cannot be requested.
    public var host: String? { try? storage.owned.parts.destination.get().origin.host }

    /// The origin of the URL; nil if the URL cannot be requested.
    package var requestedOrigin: HTTPOrigin? { storage.owned.origin }

    /// Where the request leads to: its origin, and there a path with a query, or `*`.
    ///
    /// - Throws: why the request cannot be sent.
    package func place() throws(InvalidRequest) -> (origin: HTTPOrigin, path: String) {
        let destination = try destination.get()
        switch destination.target {
        case .origin(let path), .absolute(let path), .authority(let path): return (destination.origin, path)
        case .asterisk: return (destination.origin, "*")
        }
    }

    /// The method, or `_OTHER` for one that no standard has: those who count requests by it have few counts.
    package var knownMethod: String { Self.knownMethods.contains(method) ? method : "_OTHER" }

    private static let knownMethods: Set = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    var method: String { storage.owned.parts.method }

    /// The request cannot be sent any more, for this reason.
    package mutating func refuse(_ reason: InvalidRequest) {
        makeUnique()
        storage.owned.parts.destination = .failure(reason)
    }

    /// Whether a method was set, even GET.
    package var isMethodNamed: Bool { storage.owned.parts.isMethodNamed }

    var destination: Result<Destination, InvalidRequest> { storage.owned.parts.destination }

    /// The origin of the destination, which costs less.
    ///
    /// - Throws: why the request cannot be sent.
    @inline(__always)
    func origin() throws(InvalidRequest) -> HTTPOrigin {
        if let origin = storage.owned.origin { return origin }
        return try destination.get().origin
    }

    /// The context of a response without history; nil if that would keep a source of content alive.
    @inline(__always)
    var responseContext: ResponseContext? { storage.owned.isReadOnce ? nil : storage }

    private mutating func makeUnique() {
        if isKnownUniquelyReferenced(&storage) {
            let made = storage.made.withLock { $0.take() }
            withExtendedLifetime(made) {}
        } else {
            storage = Storage(storage.owned.parts)
        }
    }

    /// What `maker` makes of the request: made once, and kept with the request and its copies as long as they stay as they
    /// are. Of several makers, what the last one has made is kept. Any thread.
    ///
    /// - Parameter maker: the maker, or what stands for it: it lives as long as what it has made.
    @inline(__always)
    func made<Value: AnyObject & Sendable>(by maker: any AnyObject & Sendable, _ make: () -> Value?) -> Value? {
        let known = storage.made.withLock { $0?.maker === maker ? $0?.value : nil }
        if let known { return known as? Value }
        guard let value = make() else { return nil }
        let previous = storage.made.withLock { made in
            defer { made = (maker, value) }
            return made
        }
        return withExtendedLifetime(previous) { value }
    }

    /// Begins an exchange with the head of this request. Throws before a byte is added to `output`.
    ///
    /// - Parameter name: of the field that only a proxy gets.
    func begin(
        _ exchange: inout Exchange, _ body: RequestBodyFraming, defaults: DefaultFields, ofProxies name: String,
        into output: inout [UInt8]
    ) throws(InvalidRequest) {
        try Self.begin(storage.owned, &exchange, body, defaults, name, &output)
    }

    @inline(__always)
    private static func begin(
        _ owned: borrowing Owned, _ exchange: inout Exchange, _ body: RequestBodyFraming, _ defaults: DefaultFields,
        _ ofProxies: String, _ output: inout [UInt8]
    ) throws(InvalidRequest) {
        if let refusal = owned.parts.rare.parts?.refusal { throw refusal }
        do throws(HTTPProtocolError) {
            if owned.parts.headers.isEmpty || !owned.parts.headers.contains(ofProxies)
                || owned.parts.isForProxy
            {
                return try exchange.begin(owned.parts.head, body: body, defaults: defaults, into: &output)
            }
            var head = owned.parts.head
            head.fields.removeAll(named: ofProxies)
            try exchange.begin(head, body: body, defaults: defaults, into: &output)
        } catch {
            throw .unencodable(error)
        }
    }

    private static func capitalized(_ method: String) -> String {
        guard method.utf8.contains(where: { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }) else { return method }
        let capitals = method.uppercased()
        return switch capitals {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT": capitals
        default: method
        }
    }

    private static func absolute(_ url: URL) -> URL { url.baseURL == nil ? url : url.absoluteURL }

    private static func destination(of url: URL?) -> Result<Destination, InvalidRequest> {
        guard let url else { return .failure(.missingURL) }
        return Result { () throws(InvalidRequest) in try Destination(absoluteString: url.absoluteString) }
    }
}

/// A value that a program notes about a request. It is for the program to use it on one thread at a time, as in Foundation:
/// requests only carry it, hence `@unchecked Sendable`.
package struct RequestProperty: @unchecked Sendable {
    package let value: Any

    package init(_ value: Any) { self.value = value }
}

extension URLRequest {
    /// How a cache answers a request, with Foundation's names.
    public enum CachePolicy: UInt, Sendable, Hashable {
        /// As RFC 9111 says: with a fresh response, and with a stale one once its server has confirmed it.
        case useProtocolCachePolicy = 0
        /// By the server. Its response is stored.
        case reloadIgnoringLocalCacheData = 1
        /// With any stored response, however old, and by the server if there is none.
        case returnCacheDataElseLoad = 2
        /// With any stored response, however old; without one the request fails with
        /// ``SessionError/RequestFailure/notCached``.
        case returnCacheDataDontLoad = 3
        /// By the server, and caches between it and the client are told to ask it, too. Its response is stored.
        case reloadIgnoringLocalAndRemoteCacheData = 4
        /// With a stored response, once its server has confirmed it.
        case reloadRevalidatingCacheData = 5

        /// ``reloadIgnoringLocalCacheData``
        public static let reloadIgnoringCacheData = CachePolicy.reloadIgnoringLocalCacheData
    }
}

extension URLRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// "GET https://example.com/path"; without userinfo, query and headers, which may hold secrets.
    public var description: String {
        switch destination {
        case .success(let destination):
            switch destination.target {
            case .origin(let target):
                "\(method) \(destination.origin.scheme)://\(destination.origin.hostField)\(target.prefix { $0 != "?" })"
            case .absolute, .authority, .asterisk:
                "\(method) \(destination.origin.scheme)://\(destination.origin.hostField)"
            }
        case .failure(let error): "\(method) (\(error))"
        }
    }

    /// The same and the header fields, sensitive ones without their values.
    public var debugDescription: String {
        ([description] + headers.map(sensitiveFields.description(of:))).joined(separator: "\n")
    }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["request": debugDescription]) }
}

// URLSession's names.
extension URLRequest {
    /// Creates a GET request with a cache policy and the seconds without a byte after which it fails.
    public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: Double = 60) {
        self.init(url: url)
        self.cachePolicy = cachePolicy
        self.timeoutInterval = timeoutInterval
    }

    /// The number of seconds without a byte in either direction after which the request fails: ``Timeouts/idle``. 0 or
    /// less, or infinity, sets no limit. Below the 10 of ``Timeouts/connect`` it is also the time to open a connection,
    /// unless that was chosen beside it.
    ///
    /// Setting it on a request without ``timeouts`` sets the request's other limits to their defaults.
    public var timeoutInterval: Double {
        get { (timeouts ?? Timeouts()).interval }
        set {
            var limits = timeouts ?? Timeouts()
            limits.interval = newValue
            timeouts = limits
        }
    }
}
