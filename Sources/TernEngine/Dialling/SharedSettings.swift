// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The objects that one session shares on one reactor.
final class SharedSettings: Sendable {
    /// Retains the loop but not the reactor: a forgotten task cannot keep a thread alive.
    let loop: ReactorLoop
    let configuration: SessionConfiguration
    let trust: SessionTrust
    let proxyLogins: ProxyLogins
    let resolver: Resolver
    /// Nil if the configuration says nothing about names.
    let names: NameRules?
    let exchange: ExchangeSettings

    init(
        loop: ReactorLoop, configuration: SessionConfiguration, trust: SessionTrust, proxyLogins: ProxyLogins,
        resolver: Resolver, exchange: ExchangeSettings
    ) {
        self.loop = loop
        self.configuration = configuration
        self.trust = trust
        self.proxyLogins = proxyLogins
        self.resolver = resolver
        names = configuration.nameRules
        self.exchange = exchange
    }

    /// Runs `work` on the loop's thread: at once if this is that thread, and no observer runs. False if the loop has ended.
    @discardableResult
    func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
        if loop.performsNow {
            work()
            return true
        }
        return loop.execute(work)
    }
}
