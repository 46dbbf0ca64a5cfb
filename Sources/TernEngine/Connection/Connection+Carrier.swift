// SPDX-License-Identifier: Apache-2.0

extension Connection: Carrier {
    var connectionMetrics: ConnectionMetrics? { metrics }

    var isReused: Bool { state.exchangeCount > 1 }
}
