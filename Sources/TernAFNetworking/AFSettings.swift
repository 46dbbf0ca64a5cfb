// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The settings of a manager. A change applies to each task that ends after it.
struct AFSettings {
    var serializer: any AFURLResponseSerialization = AFJSONResponseSerializer()
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var securityPolicy = AFSecurityPolicy()
    var reachabilityManager = AFNetworkReachabilityManager.shared()
}
