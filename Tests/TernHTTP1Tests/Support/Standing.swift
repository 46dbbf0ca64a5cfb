// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What an exchange says of itself, as a value `#expect` can copy.
struct Standing: OptionSet {
    let rawValue: Int
    static let idle = Standing(rawValue: 1)
    static let reusable = Standing(rawValue: 2)
    static let receiving = Standing(rawValue: 4)
    static let awaitingContinue = Standing(rawValue: 8)
}

func standing(_ exchange: borrowing Exchange) -> Standing {
    var standing: Standing = []
    if exchange.isIdle { standing.insert(.idle) }
    if exchange.isReusable { standing.insert(.reusable) }
    if exchange.hasReceivedAnything { standing.insert(.receiving) }
    if exchange.isAwaitingContinue { standing.insert(.awaitingContinue) }
    return standing
}
