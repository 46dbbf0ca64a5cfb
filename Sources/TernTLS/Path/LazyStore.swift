// SPDX-License-Identifier: Apache-2.0

import TernLock

/// The store of a `TrustAnchors` value, built on first use.
final class LazyStore: Sendable {
    private let source: TrustAnchors.Source
    private let built = Lock<TrustStore?>(nil)

    init(_ source: TrustAnchors.Source) { self.source = source }

    var value: TrustStore {
        built.withLock { built in
            if let built { return built }
            let store =
                switch source {
                case .system: TrustStore.system
                case .only(let certificates): TrustStore(certificates)
                case .systemAnd(let certificates): TrustStore(systemAnd: certificates)
                }
            built = store
            return store
        }
    }
}
