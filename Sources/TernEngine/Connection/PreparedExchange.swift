// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// An exchange that has begun before there is a connection to carry it: so no connection is opened for a request that
/// cannot be sent, and nothing is encoded twice.
///
/// An object, because it is rare and large: every task has room for a reference to one.
final class PreparedExchange {
    var exchange: Exchange
    var outgoing = OutgoingRequest()

    init(_ hop: Hop, _ settings: ExchangeSettings) throws(InvalidRequest) {
        exchange = settings.newExchange
        try outgoing.begin(hop, on: &exchange, settings)
    }
}
