// SPDX-License-Identifier: Apache-2.0

/// What to do about an option that a command does not have.
enum Advice {
    private static let proxies = "tern does not support proxies"
    private static let schemes =
        "tern authenticates with Basic and Digest (-u, --digest), bearer tokens (--oauth2-bearer), or your own field (-H)"

    /// Options of curl that tern does not have, and what does the same.
    private static let curl: [String: String] = [
        "--next": "tern has one set of options for all URLs; run tern once for each",
        "--ntlm": schemes, "--negotiate": schemes,
        "--proxy": proxies, "-x": proxies, "--socks5": proxies,
        "--http2-prior-knowledge": "tern speaks HTTP/1.1, which a server that begins with HTTP/2 does not understand",
        "--http3": "tern speaks HTTP/1.1", "--limit-rate": "tern does not limit the rate",
        "--parallel": "tern requests URLs one after another", "-Z": "tern requests URLs one after another",
        "--resolve": "give the address in the URL, and -H 'Host: …'; over https this is not possible",
        "--netrc": "give -u user:password", "-n": "give -u user:password",
        "-V": "\"tern -V\" prints the version",
    ]

    /// What is wrong with the arguments of a command, in one line, which leads to its help where there is no advice.
    ///
    /// - Parameters:
    ///   - path: the names of the command, as typed.
    ///   - commands: those whose options may have been meant.
    static func text(
        for error: GrammarError, of command: any ToolCommand.Type, path: String, among commands: [any ToolCommand.Type]
    ) -> String {
        let hint = "; see \"\(path) --help\""
        switch error {
        case .unknownOption(let option):
            return unknown(option, command, commands) ?? "unknown option '\(option)'\(hint)"
        case .missingOperand("url"): return "no URL is given: give one, such as http://localhost:8080/"
        case .missingOperand(let name): return "missing expected argument '<\(name)>'\(hint)"
        case .missingValue(let option): return "missing value for '\(option)'\(hint)"
        case .unwantedValue(let option): return "the option '\(option)' takes no value\(hint)"
        case .invalidValue(let value, let place): return "the value '\(value)' is invalid for '\(place)'\(hint)"
        case .unexpected(let word): return "unexpected argument '\(word)'\(hint)"
        case .repeated(let option): return "\(option) is given more than once"
        case .within(let place, let error):
            return place + ": " + text(for: error, of: command, path: path, among: commands)
        case .help, .version: return "see \"\(path) --help\""
        }
    }

    private static func unknown(
        _ option: String, _ command: any ToolCommand.Type, _ commands: [any ToolCommand.Type]
    ) -> String? {
        let isLikeCurl = command.endsLikeCurl
        if isLikeCurl, let advice = curl[option] { return "unknown option '\(option)': \(advice)" }
        // Those that send requests have all options of curl that any command has, but for what the table has.
        if !command.isFetch || !CurlOptions.contains(option),
            let other = others(than: command, commands).first(where: { names($0).contains(option) })
        {
            return "unknown option '\(option)': it is an option of \"tern \(other.name)\""
        }
        if isLikeCurl, CurlOptions.contains(option) { return "curl's option \(option) is not supported" }
        return nearest(to: option, among: names(command)).map { "unknown option '\(option)': did you mean \($0)?" }
    }

    /// One command of those with the same options.
    private static func others(than command: any ToolCommand.Type, _ commands: [any ToolCommand.Type])
        -> [any ToolCommand.Type]
    {
        commands.filter { $0 != command && (!$0.isFetch || $0 == GetCommand.self && !command.isFetch) }
    }

    private static func names(_ command: any ToolCommand.Type) -> [String] {
        (command.descriptions + HelpText.common).flatMap(\.names)
    }

    /// The long option that differs by a letter, or by two in long names.
    private static func nearest(to option: String, among names: [String]) -> String? {
        guard option.hasPrefix("--") else { return nil }
        let limit = max(1, (option.count - 2) / 4)
        return names.filter { $0.hasPrefix("--") }.map { ($0, distance(from: option, to: $0)) }
            .filter { $0.1 <= limit }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// The number of letters to insert, remove or replace (Levenshtein).
    private static func distance(from one: String, to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, letter) in one.utf8.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = corner + (other[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

/// The names of curl's options, those of curl 8.12 included.
enum CurlOptions {
    static func contains(_ option: String) -> Bool {
        if option.hasPrefix("--") {
            let name = option.dropFirst(2)
            return names.contains(name) || name.hasPrefix("no-") && names.contains(name.dropFirst(3))
        }
        return option.unicodeScalars.count == 2 && option.hasPrefix("-") && letters.contains(option.dropFirst())
    }

    private static let letters = Set(
        "0 1 2 3 4 6 : # a A b B c C d D e E f F g G h H i I j J k K l L m M n N o O p P q Q r R s S t T u U v V w x X y Y z Z"
            .split(separator: " "))

    private static let names = Set(
        """
        abstract-unix-socket alt-svc anyauth append aws-sigv4 basic ca-native cacert capath cert cert-status cert-type
        ciphers compressed compressed-ssh config connect-timeout connect-to continue-at cookie cookie-jar create-dirs
        create-file-mode crlf crlfile curves data data-ascii data-binary data-raw data-urlencode delegation digest
        disable disable-eprt disable-epsv disallow-username-in-url dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers
        doh-cert-status doh-insecure doh-url dump-ca-embed dump-header ech egd-file engine eprt epsv etag-compare
        etag-save expect100-timeout fail fail-early fail-with-body false-start form form-escape form-string ftp-account
        ftp-alternative-to-user ftp-create-dirs ftp-method ftp-pasv ftp-port ftp-pret ftp-skip-pasv-ip ftp-ssl
        ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control ftp-ssl-reqd get globoff happy-eyeballs-timeout-ms
        haproxy-clientip haproxy-protocol head header help hostpubmd5 hostpubsha256 hsts http0.9 http1.0 http1.1 http2
        http2-prior-knowledge http3 http3-only ignore-content-length include insecure interface ip-tos ipfs-gateway ipv4
        ipv6 json junk-session-cookies keepalive keepalive-cnt keepalive-time key key-type krb libcurl limit-rate
        list-only local-port location location-trusted login-options mail-auth mail-from mail-rcpt mail-rcpt-allowfails
        manual max-filesize max-redirs max-time metalink mptcp negotiate netrc netrc-file netrc-optional next no-alpn
        no-buffer no-clobber no-keepalive no-npn no-progress-meter no-sessionid noproxy ntlm ntlm-wb oauth2-bearer
        output output-dir parallel parallel-immediate parallel-max pass path-as-is pinnedpubkey post301 post302 post303
        preproxy progress-bar progress-meter proto proto-default proto-redir proxy proxy-anyauth proxy-basic
        proxy-ca-native proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-digest
        proxy-header proxy-http2 proxy-insecure proxy-key proxy-key-type proxy-negotiate proxy-ntlm proxy-pass
        proxy-pinnedpubkey proxy-service-name proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers
        proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-tlsv1 proxy-user proxy1.0 proxytunnel pubkey quote
        random-file range rate raw referer remote-header-name remote-name remote-name-all remote-time remove-on-error
        request request-target resolve retry retry-all-errors retry-connrefused retry-delay retry-max-time sasl-authzid
        sasl-ir service-name sessionid show-error show-headers sigalgs silent skip-existing socks4 socks4a socks5
        socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service socks5-hostname speed-limit speed-time ssl
        ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort ssl-sessions sslv2 sslv3
        stderr styled-output suppress-connect-headers tcp-fastopen tcp-nodelay telnet-option tftp-blksize
        tftp-no-options time-cond tls-earlydata tls-max tls13-ciphers tlsauthtype tlspassword tlsuser tlsv1 tlsv1.0
        tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace trace-ascii trace-config trace-ids trace-time unix-socket upload-file
        upload-flags url url-query use-ascii user user-agent variable verbose version vlan-priority write-out xattr
        """.split(whereSeparator: \.isWhitespace))
}
