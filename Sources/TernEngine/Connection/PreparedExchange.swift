// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// An exchange that has begun before there is a connection to carry it: so no connection is opened for a request that
/// cannot be sent, and nothing is encoded twice.
struct PreparedExchange: ~Copyable {
    var exchange: Exchange
    var outgoing = OutgoingRequest()

    init(_ request: URLRequest, _ configuration: SessionConfiguration) throws(InvalidRequest) {
        exchange = Exchange(limits: configuration.limits)
        try outgoing.begin(request, on: &exchange, defaults: configuration.httpAdditionalHeaders)
    }
}
