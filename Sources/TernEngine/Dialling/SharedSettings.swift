// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The objects that one session shares on one reactor.
final class SharedSettings: Sendable {
    /// Retains the loop but not the reactor: a forgotten task cannot keep a thread alive.
    let loop: ReactorLoop
    let configuration: SessionConfiguration
    let trust: TrustSettings
    /// The same for proxies: their handshakes offer no identity that is meant for origins.
    let proxyTrust: TrustSettings
    let proxyLogins: ProxyLogins
    let resolver: Resolver
    /// Nil if the configuration says nothing about names.
    let names: NameRules?
    let exchange: ExchangeSettings

    init(
        loop: ReactorLoop, configuration: SessionConfiguration, trust: TrustSettings, proxyTrust: TrustSettings,
        proxyLogins: ProxyLogins, resolver: Resolver, exchange: ExchangeSettings
    ) {
        self.loop = loop
        self.configuration = configuration
        self.trust = trust
        self.proxyTrust = proxyTrust
        self.proxyLogins = proxyLogins
        self.resolver = resolver
        names = configuration.nameRules
        self.exchange = exchange
    }

    /// The trust in a server, with which its revocation is asked, too: that of a proxy is not asked through the proxy.
    func trust(in peer: Dial.Peer) -> TrustSettings { peer.isProxy ? proxyTrust : trust }

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
