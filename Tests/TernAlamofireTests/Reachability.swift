// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TestProofs
import Testing

@Suite struct Reachability {
    @Test(.proves("10.3c")) func `a listener is called soon after it begins`() async {
        let manager = NetworkReachabilityManager(host: "127.0.0.1")
        let status: NetworkReachabilityManager.NetworkReachabilityStatus = await withCheckedContinuation {
            continuation in
            manager?.listenerQueue = DispatchQueue(label: "reachability")
            manager?.listener = { status in
                print("Network Status Changed: \(status)")
                manager?.listener = nil
                continuation.resume(returning: status)
            }
            manager?.startListening()
        }
        #expect(status == .reachable(.ethernetOrWiFi))
        manager?.stopListening()
    }
}
