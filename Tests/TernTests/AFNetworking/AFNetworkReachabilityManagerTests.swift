// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.serialized, .timeLimit(.minutes(1))) struct AFNetworkReachabilityManagerTests {
    @Test(.proves("1.20b", "1.20c")) func `the block and the notification report the same`() async {
        let manager = AFNetworkReachabilityManager(forAddress: "127.0.0.1")
        let reported = Lock<AFNetworkReachabilityManager.Status?>(nil)
        manager.setReachabilityStatusChange { status in reported.withLock { $0 = status } }
        let posted: Int? = await withCheckedContinuation { continuation in
            let waiting = Lock<CheckedContinuation<Int?, Never>?>(continuation)
            _ = NotificationCenter.default.addObserver(
                forName: .AFNetworkingReachabilityDidChange, object: nil, queue: nil
            ) { notification in
                let key = Notification.Key.AFNetworkingReachabilityNotificationStatusItem
                let status = notification.userInfo?[key] as? Int
                waiting.withLock { $0.take() }?.resume(returning: status)
            }
            manager.startMonitoring()
        }
        manager.stopMonitoring()
        #expect(posted == AFNetworkReachabilityManager.Status.reachableViaWiFi.rawValue)
        #expect(reported.withLock { $0 } == .reachableViaWiFi)
    }

    @Test(.proves("1.20a", "1.20b")) func `states have AFNetworking's numbers and words`() {
        typealias Status = AFNetworkReachabilityManager.Status
        #expect(
            [Status.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi].map(\.rawValue) == [-1, 0, 1, 2])
        let manager = AFNetworkReachabilityManager(forDomain: "localhost")
        #expect(manager.isReachable && manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
        #expect(manager.localizedNetworkReachabilityStatusString() == "Reachable via WiFi")
        #expect(AFNetworkReachabilityManager(forDomain: "").networkReachabilityStatus == .unknown)
        #expect(AFNetworkReachabilityManager.shared() === AFNetworkReachabilityManager.shared())
    }
}
