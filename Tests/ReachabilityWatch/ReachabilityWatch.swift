// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernAFNetworking

/// Says whether the world, and each of the hosts it is given, can be reached, and every change of that.
@main struct ReachabilityWatch {
    static func main() {
        let hosts = CommandLine.arguments.dropFirst()
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
