// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernAFNetworking

/// Says whether the world, and each of the hosts it is given, can be reached, and every change of that. After `fetch` it
/// is given URLs, and says how requests for them end, which wait for a network.
@main struct ReachabilityWatch {
    static func main() {
        let hosts = CommandLine.arguments.dropFirst()
        if hosts.first == "fetch" { fetch(Array(hosts.dropFirst())) }
        let managers =
            [("world", NetworkReachabilityManager())] + hosts.map { ($0, NetworkReachabilityManager(host: $0)) }
        for (name, manager) in managers {
            manager?.listener = { status in say("\(name) \(word(for: status))") }
            if manager?.startListening() != true { say("\(name) cannot be listened to") }
        }
        let other = AFNetworkReachabilityManager()
        other.setReachabilityStatusChange { status in say("AF \(status)") }
        other.startMonitoring()
        withExtendedLifetime((managers, other)) { dispatchMain() }
    }

    /// The last of them has half a second.
    private static func fetch(_ urls: [String]) -> Never {
        var managers: [SessionManager] = []
        for (number, url) in urls.enumerated() {
            var configuration = SessionConfiguration()
            configuration.waitsForConnectivity = true
            if number == urls.count - 1 { configuration.timeoutIntervalForResource = 0.5 }
            let manager = SessionManager(configuration: configuration)
            manager.delegate.taskIsWaitingForConnectivity = { _, _ in say("\(url) waits") }
            manager.request(url).response { response in
                let code = response.error.map { "\(($0 as? SessionError)?.reason.kind.rawValue ?? "\($0)")" }
                say("\(url) \(code ?? "\(response.response?.statusCode ?? 0)")")
            }
            managers.append(manager)
        }
        withExtendedLifetime(managers) { dispatchMain() }
    }

    private static func word(for status: NetworkReachabilityManager.NetworkReachabilityStatus) -> String {
        switch status {
        case .unknown: "unknown"
        case .notReachable: "not reachable"
        case .reachable(.ethernetOrWiFi): "by a link"
        case .reachable(.wwan): "by a modem"
        }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
