// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// A ``TernEngine/SessionConfiguration`` that is shared by reference, as URLSession's is. A setting not named here is
/// set by key path on ``value``. A session reads it once, when it is made. Its `httpAdditionalHeaders` are those of the
/// program: a request that has no `Accept` or `User-Agent` after all of them gets Tern's.
///
/// Not for use from several threads at a time.
@dynamicMemberLookup
public final class URLSessionConfiguration {
    /// The configuration as a value.
    public var value: SessionConfiguration

    /// Creates a configuration with the defaults of a value, but without header fields.
    public convenience init() {
        var value = SessionConfiguration()
        value.additionalFields = [:]
        self.init(value)
    }

    /// Creates a configuration with this value.
    public init(_ value: SessionConfiguration) {
        self.value = value
        if value.responseProviders == nil { protocolClasses = nil }
    }

    /// A new configuration whose sessions keep cookies in `HTTPCookieStorage.shared`, which outlives the program, and
    /// credentials in ``TernEngine/CredentialStorage/shared``, which does not. They cache if `urlCache` is set, and not otherwise as on Darwin: of equal
    /// requests at the same time a cache sends one.
    public static var `default`: URLSessionConfiguration { storing(.shared, .shared) }

    /// A new configuration whose sessions keep cookies and credentials in storages of their own, in memory.
    public static var ephemeral: URLSessionConfiguration { storing(HTTPCookieStorage(), CredentialStorage()) }

    private static func storing(
        _ cookies: HTTPCookieStorage, _ credentials: CredentialStorage
    ) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration()
        configuration.value.httpCookieStorage = cookies
        configuration.value.urlCredentialStorage = credentials
        return configuration
    }

    /// Not available on Linux: the requests of a session of this configuration fail with
    /// ``TernEngine/SessionError/RequestFailure/backgroundSession``.
    @available(
        *, deprecated,
        message:
            "on Linux a transfer does not outlive its process, so requests of a background session fail; use .default"
    )
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration()
        configuration.identifier = identifier
        configuration.value.isBackground = true
        return configuration
    }

    /// The settings of Foundation that are kept and have no effect.
    public struct KeptSettings: Sendable {
        /// True by default: Linux tells no kinds of networks apart.
        public var allowsCellularAccess = true
        /// True by default, likewise.
        public var allowsExpensiveNetworkAccess = true
        /// True by default, likewise.
        public var allowsConstrainedNetworkAccess = true
        /// True by default, likewise.
        public var allowsUltraConstrainedNetworkAccess = true
        /// Tern does not delay transfers.
        public var isDiscretionary = false
        /// There are no background sessions.
        public var sharedContainerIdentifier: String?
        /// There are no background sessions.
        public var sessionSendsLaunchEvents = false
        /// There are no background sessions.
        public var shouldUseExtendedBackgroundIdleMode = false
        /// Tern does not pipeline: an answer that is late would delay those behind it.
        public var httpShouldUsePipelining = false
        /// Sockets have no class of service.
        public var networkServiceType = NSURLRequest.NetworkServiceType.default
        /// Connections have one path.
        public var multipathServiceType = MultipathServiceType.none
    }

    convenience init(copying other: URLSessionConfiguration) {
        self.init(other.value)
        if let proxies = other.connectionProxyDictionary { connectionProxyDictionary = proxies }
        (identifier, kept) = (other.identifier, other.kept)
    }

    /// The settings that have no effect, which are read and set by their names.
    public var kept = KeptSettings()

    /// A setting of ``kept``.
    public subscript<Member>(dynamicMember member: WritableKeyPath<KeptSettings, Member>) -> Member {
        get { kept[keyPath: member] }
        set { kept[keyPath: member] = newValue }
    }

    /// How a session uses several paths at a time: Tern uses one.
    public enum MultipathServiceType: Int, Sendable {
        /// One.
        case none
        /// Another one when the first is lost.
        case handover
        /// The quicker one.
        case interactive
        /// All.
        case aggregate
    }

    /// The value with the fields that each request has, for a session.
    package var completed: SessionConfiguration {
        var value = value
        for field in SessionConfiguration().additionalFields where value.additionalFields[field.name] == nil {
            value.additionalFields.append(field.name, field.value)
        }
        return value
    }

    /// The same, for a session that does unasked what URLSession does.
    var ofURLSession: SessionConfiguration {
        var value = completed
        value.followsURLSession = true
        return value
    }

    /// The identifier of a background session; nil for all others. To set it makes no background session.
    public var identifier: String?

    /// The setting of ``value``.
    public subscript<Member>(dynamicMember member: WritableKeyPath<SessionConfiguration, Member>) -> Member {
        get { value[keyPath: member] }
        set { value[keyPath: member] = newValue }
    }

    /// The proxies of the session, in the keys of CFNetwork: `HTTPEnable`, `HTTPProxy` and `HTTPPort` for http URLs, the same
    /// with `HTTPS` for https URLs and with `SOCKS` (SOCKS 5, names are resolved by the proxy) for those without one;
    /// `ExceptionsList` with patterns as of ``TernEngine/ProxyExceptions/init(patterns:excludesSimpleHostnames:)``, and
    /// `ExcludeSimpleHostnames`; `kCFProxyUsernameKey` and `kCFProxyPasswordKey`. A
    /// proxy without its `Enable` of 1 or true, or without a host, is none, and other keys have no effect. Sets
    /// ``TernEngine/SessionConfiguration/proxySettings``.
    public var connectionProxyDictionary: [AnyHashable: Any]? {
        didSet { value.proxySettings = connectionProxyDictionary.map(ProxySettings.init(connectionProxyDictionary:)) }
    }

    /// The classes that answer requests of the session, each asked in turn, before those that were registered with
    /// ``URLProtocol/registerClass(_:)``: as in Foundation. Classes that are no ``URLProtocol`` have no effect. Those that
    /// are registered, the last one first, until it is set.
    public var protocolClasses: [AnyClass]? {
        get { ProtocolClasses.classes(of: value) }
        set { ProtocolClasses.set(newValue, in: &value) }
    }

    /// Fields added to every request that has no field of that name, in the order of their names. Values that are not
    /// strings are added by their description. Nil until it is set, and where there are none.
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get {
            let fields = value.additionalFields
            return fields.isEmpty ? nil : Dictionary(fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        }
        set {
            let fields = (newValue ?? [:]).map {
                HeaderField(name: "\($0.key.base)", value: String(describingValue: $0.value))
            }
            value.additionalFields = HeaderFields(fields.sorted { $0.name < $1.name })
        }
    }
}

extension URLSessionConfiguration: NSCopying {
    /// A copy of the configuration.
    public func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(copying: self) }
}
