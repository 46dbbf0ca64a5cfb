// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
import TernLock

/// A ``Tern/NetworkReachabilityManager`` under AFNetworking's names, with its notification.
///
/// Thread-safe. Sendable because its state is behind a lock; a subclass must keep that.
open class AFNetworkReachabilityManager: @unchecked Sendable {
    /// Whether there is a route, and over which kind of link.
    public enum Status: Int, Sendable {
        /// It cannot be determined.
        case unknown = -1
        /// There is no route.
        case notReachable = 0
        /// Over a mobile network.
        case reachableViaWWAN = 1
        /// Over any other link.
        case reachableViaWiFi = 2
    }

    private static let world = AFNetworkReachabilityManager(NetworkReachabilityManager())

    private let manager: NetworkReachabilityManager?
    private let block = Lock<(@Sendable (Status) -> Void)?>(nil)

    /// The manager of the internet, shared by the process.
    public class func shared() -> AFNetworkReachabilityManager { world }

    /// Creates a manager of the internet.
    public convenience init() { self.init(NetworkReachabilityManager()) }

    /// Creates a manager of one host; its status is unknown if `domain` cannot be one.
    public convenience init(forDomain domain: String) { self.init(NetworkReachabilityManager(host: domain)) }

    /// Creates a manager of one IP literal; its status is unknown if `address` is not one.
    public convenience init(forAddress address: String) { self.init(NetworkReachabilityManager(host: address)) }

    private init(_ manager: NetworkReachabilityManager?) {
        self.manager = manager
        manager?.listener = { [weak self] status in self?.tell(Status(status)) }
    }

    /// The current status.
    open var networkReachabilityStatus: Status { manager.map { Status($0.networkReachabilityStatus) } ?? .unknown }

    /// Whether there is a route.
    open var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

    /// Whether there is a route over a mobile network.
    open var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether there is a route over another link.
    open var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// The queue of the block and the notification; by default a serial queue of the manager.
    open var callbackQueue: DispatchQueue? {
        get { manager?.listenerQueue }
        set { if let newValue { manager?.listenerQueue = newValue } }
    }

    /// Starts to report the status, soon and after each change.
    open func startMonitoring() { manager?.startListening() }

    /// Stops the reports.
    open func stopMonitoring() { manager?.stopListening() }

    /// The status in English words.
    open func localizedNetworkReachabilityStatusString() -> String {
        switch networkReachabilityStatus {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }

    /// Sets the block that is called in addition to the notification; nil for none.
    @preconcurrency
    open func setReachabilityStatusChange(_ block: (@Sendable (Status) -> Void)?) {
        self.block.replace(block)
    }

    private func tell(_ status: Status) {
        block.withLock { $0 }?(status)
        NotificationCenter.default.post(
            name: .AFNetworkingReachabilityDidChange, object: nil,
            userInfo: [Notification.Key.AFNetworkingReachabilityNotificationStatusItem: status.rawValue])
    }
}

extension AFNetworkReachabilityManager.Status {
    fileprivate init(_ status: NetworkReachabilityManager.NetworkReachabilityStatus) {
        switch status {
        case .unknown: self = .unknown
        case .notReachable: self = .notReachable
        case .reachable(.wwan): self = .reachableViaWWAN
        case .reachable(.ethernetOrWiFi): self = .reachableViaWiFi
        }
    }
}

extension Notification.Name {
    /// The reachability of the internet or of a host has changed. The status is the value of
    /// `Notification.Key.AFNetworkingReachabilityNotificationStatusItem`, as a number.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change")
}

extension Notification.Key {
    /// The ``AFNetworkReachabilityManager/Status`` as a number.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"
}
