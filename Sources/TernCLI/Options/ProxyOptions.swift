// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// The proxies of requests, with curl's option names. Without an option the environment names them, as in curl.
struct ProxyOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-x", "--proxy", as: "proxy",
                help: """
                    Send requests through this proxy, [SCHEME://][USER:PASSWORD@]HOST[:PORT]: \
                    \(Proxy.Kind.schemes.joined(separator: ", ")); "" for none. Otherwise \
                    http_proxy, https_proxy, all_proxy and no_proxy name one.
                    """
            ) { $0.setProxy($1.text, "-x") },
            .value("--socks4", as: "host", help: "The same as -x socks4://HOST.") {
                $0.setProxy("socks4://\($1.text)", "--socks4")
            },
            .value("--socks4a", as: "host", help: "The same as -x socks4a://HOST.") {
                $0.setProxy("socks4a://\($1.text)", "--socks4a")
            },
            .value("--socks5", as: "host", help: "The same as -x socks5://HOST: names are resolved here.") {
                $0.setProxy("socks5://\($1.text)", "--socks5")
            },
            .value("--socks5-hostname", as: "host", help: "The same as -x socks5h://HOST: the proxy resolves names.") {
                $0.setProxy("socks5h://\($1.text)", "--socks5-hostname")
            },
            .value("--preproxy", as: "proxy", help: "Connect to the proxy of -x through this SOCKS proxy.") {
                $0.preproxy = $1.text
            },
            .value(
                "--noproxy", as: "hosts",
                help: "Connect to these without a proxy, separated by commas; \"*\" is all."
            ) { $0.exceptions = $1.text },
            .value("-U", "--proxy-user", as: "user:password", help: "The name and the password for the proxy.") {
                $0.user = $1.text
            },
            .flag("--proxy-basic", help: "Send them with Basic, at once; the default.") { $0.schemes = .basic },
            .flag("--proxy-digest", help: "Send them with Digest.") { $0.schemes = .digest },
            .flag("--proxy-anyauth", help: "Send them with the safest scheme that the proxy requests.") {
                $0.schemes = .all
            },
            .toggle("-p", "--proxytunnel", help: "Open a tunnel through the proxy for http URLs, too.") {
                $0.tunnelsAll = $1
            },
            .value(
                "--proxy-header", as: "field", repeats: true,
                help: "Add this field to CONNECT, and to no other request."
            ) { $0.fields.append($1.text) },
            .toggle("--proxy-insecure", help: "Skip the checks of an https proxy's chain and host.") {
                $0.isInsecure = $1
            },
            .value(
                "--proxy-cacert", as: "file",
                help: "Trust only the certificates in this PEM file for an https proxy."
            ) { $0.authorities = $1.text },
            .toggle("--haproxy-protocol", help: "Send a header of the PROXY protocol, version 1, to the server.") {
                $0.announces = $1
            })
    }

    var proxy: String?
    /// The option that names it.
    private var option = "-x"
    var preproxy: String?
    var exceptions: String?
    var user: String?
    var schemes = PasswordCredential.Schemes.basic
    var tunnelsAll = false
    var fields: [String] = []
    var isInsecure = false
    var authorities: String?
    var announces = false

    private mutating func setProxy(_ text: String, _ option: String) { (proxy, self.option) = (text, option) }

    func apply(to configuration: inout SessionConfiguration) throws {
        configuration.probesForProxyDigest = schemes == .digest
        configuration.tunnelsToOverriddenAddresses = false
        if announces { configuration.proxyProtocol = .v1 }
        configuration.proxySettings = try settings()
        // Options about the trust of servers say nothing of proxies.
        var tls = TLSSettings()
        if let authorities {
            tls.anchors = .only(
                try TrustOptions.read(authorities, "--proxy-cacert", .authorities, X509Certificate.all(inPEM:)))
        }
        configuration.proxyTLS = tls
        let policy = isInsecure ? ServerTrustPolicy.disableEvaluation : .performDefaultEvaluation(validateHost: true)
        configuration.proxyTrustPolicyManager = UniformTrustPolicy(policy)
    }

    private func settings() throws -> ProxySettings? {
        let exceptions = exceptions.map { ProxyExceptions($0) }
        guard let proxy else { return try fromEnvironment(exceptions) }
        if proxy.isEmpty { return nil }
        let named = exceptions ?? ProxySettings.exceptions(in: ProcessInfo.processInfo.environment)
        return ProxySettings(try completion()(read(proxy, option)), except: named, from: .named(option))
    }

    /// A variable that names no proxy is the failure of the requests that would go through it.
    private func fromEnvironment(_ exceptions: ProxyExceptions?) throws -> ProxySettings? {
        let variables = ProcessInfo.processInfo.environment
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard names.contains(where: { variables[$0]?.isEmpty == false }) else { return nil }
        return .environment(variables, except: exceptions, completed: try completion())
    }

    /// Returns what adds to every proxy what the options say.
    private func completion() throws -> @Sendable (Proxy) -> Proxy {
        let (schemes, tunnelsAll) = (schemes, tunnelsAll)
        let given = user.map { PasswordCredential(userinfo: ByteText.bytes(of: $0), schemes: schemes) }
        let headers = try connectHeaders()
        let before = try preproxy.map { try read($0.contains("://") ? $0 : "socks4://\($0)", "--preproxy") }
        if let before, before.kind.isHTTP { throw UsageError("--preproxy: give a SOCKS proxy, such as socks5h://HOST") }
        return { proxy in
            var proxy = proxy
            // As in curl, those in the proxy's text come first.
            proxy.credential =
                proxy.credential.map {
                    PasswordCredential(user: $0.userBytes, password: $0.passwordBytes, schemes: schemes)
                } ?? given
            proxy.tunnelsAll = tunnelsAll
            proxy.connectHeaders = headers
            proxy.preproxy = before
            return proxy
        }
    }

    /// As `-H` has them, from files, too. There is nothing that a field without a value would remove.
    private func connectHeaders() throws -> HeaderFields {
        let headers = HeaderFields(try HeaderOption.all(of: fields, for: "--proxy-header").compactMap(\.added))
        var proxy = Proxy(.http, host: "localhost")
        proxy.connectHeaders = headers
        do throws(ProxyError) { try proxy.checkConnectHeaders() } catch { throw UsageError("--proxy-header: \(error)") }
        return headers
    }

    private func read(_ text: String, _ option: String) throws -> Proxy {
        do throws(InvalidProxy) { return try Proxy(text) } catch { throw UsageError("\(option): \(error)") }
    }
}
