// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// What becomes of each option of curl, those of curl 8.16 included: the source of the answer to an option that tern does
/// not have, and of the page OptionsOfCurl, which a test compares with it.
///
/// Read only when an option is not found: a command that starts builds none of it.
struct CurlOption: Equatable {
    enum Relation: String {
        /// It means what it means in curl.
        case same
        /// It exists, and ``text`` says what is different.
        case differs
        /// It does not exist, and ``text`` says what does the same, or why nothing does.
        case absent
    }

    /// With dashes, the short one first.
    let names: [String]
    let relation: Relation
    /// Without a full stop; empty for what is the same.
    let text: String

    /// Nil for what is no option of curl. In curl, `--no-NAME` turns an option off, and
    /// `--expand-NAME` expands variables in its value.
    init?(named name: String) {
        if let option = Self.all.first(where: { $0.names.contains(name) }) {
            self = option
        } else if name.hasPrefix("--no-"), let option = CurlOption(named: "--" + name.dropFirst(5)) {
            (names, relation, text) = ([name], .absent, "leave out \(option.names.last ?? "") instead")
        } else if name.hasPrefix("--expand-"), CurlOption(named: "--" + name.dropFirst(9)) != nil {
            (names, relation, text) = ([name], .absent, "use variables of the shell")
        } else {
            return nil
        }
    }

    /// A line of the table: `=` for what is the same, `~` for what differs, `-` for what is absent, the names, and the text
    /// behind a bar.
    private init?(line: Substring) {
        let parts = line.split(separator: "|", maxSplits: 1).map { $0.drop { $0 == " " } }
        guard let words = parts.first?.split(separator: " "), let sign = words.first else { return nil }
        names = words.dropFirst().map(String.init)
        relation = sign == "=" ? .same : sign == "~" ? .differs : .absent
        text = parts.count > 1 ? String(parts[1]) : ""
    }

    /// In alphabetical order.
    static var all: [CurlOption] {
        let options = table.split(separator: "\n").compactMap(CurlOption.init(line:))
        // A line of absent options without short names stands for one option each.
        return options.flatMap { option in
            option.names.filter { $0.hasPrefix("--") }.count < 2 || option.relation != .absent
                ? [option]
                : option.names.map { CurlOption(names: [$0], relation: option.relation, text: option.text) }
        }.sorted { ($0.names.last ?? "") < ($1.names.last ?? "") }
    }

    private init(names: [String], relation: Relation, text: String) {
        (self.names, self.relation, self.text) = (names, relation, text)
    }

    private static var table: String {
        """
        = --abstract-unix-socket
        - --alt-svc | tern keeps no list of alternative servers: give the server's URL
        ~ --anyauth | chooses between Digest and Basic
        - -a --append | it is for FTP and SFTP, and tern speaks HTTP
        - --aws-sigv4 | sign the request with another program, and give its fields with -H @FILE
        = --basic
        - --ca-native | the system's certificates are the default: leave it out
        = --cacert
        ~ --capath | trusts only this folder's certificates and those of --cacert, not those that curl was built with
        = -E --cert
        ~ --cert-status | asks the certificate's responder if the server staples no response
        ~ --cert-type | PEM, DER and P12; engines are not supported
        = --ciphers
        ~ --compressed | asks for gzip and deflate, and for br and zstd if it is built with them
        - --compressed-ssh | it is for SSH, and tern speaks HTTP
        ~ -K --config | a value with blanks needs quotes, and .curlrc is never read
        = --connect-timeout
        ~ --connect-to | an entry with fewer than three parts is an error
        ~ -C --continue-at | the answer must begin where the file ends; "tern download -C -" also notices that the file has changed
        ~ -b --cookie | may be repeated
        ~ -c --cookie-jar | a file that -b reads keeps what other programs write to it meanwhile
        = --create-dirs
        - --create-file-mode | set the permissions of new files with umask(1)
        - --crlf | tern sends and writes bytes as they are: convert the file with another program
        ~ --crlfile | a certificate that is revoked, or that no list covers, has the code 91 in place of 60
        = --curves
        = -d --data
        = --data-ascii
        = --data-binary
        = --data-raw
        = --data-urlencode
        - --delegation --krb --service-name --negotiate --ntlm --ntlm-wb | tern authenticates with Basic and Digest (-u, --digest), bearer tokens (--oauth2-bearer), or your own field (-H)
        = --digest
        = -q --disable
        - --disable-eprt --disable-epsv --eprt --epsv --ftp-account --ftp-alternative-to-user --ftp-create-dirs --ftp-method --ftp-pasv --ftp-pret --ftp-skip-pasv-ip --ftp-ssl --ftp-ssl-ccc --ftp-ssl-ccc-mode --ftp-ssl-control --ftp-ssl-reqd | it is for FTP, and tern speaks HTTP
        - -P --ftp-port | it is for FTP, and tern speaks HTTP
        - --disallow-username-in-url | check the URL before, or give the name with -u
        - --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-cert-status --doh-insecure --doh-url | the system resolves host names: see resolv.conf(5)
        - --dump-ca-embed | no certificates are built into tern
        ~ -D --dump-header | writes its file when all heads have arrived; a file that -o names too gets no trailers, which curl writes over the body
        - --ech | tern sends the server's name unencrypted
        - --egd-file --random-file --engine --false-start --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-revoke-best-effort | it has no effect with the TLS library of tern: leave it out
        ~ --etag-compare | takes one URL; a file that does not exist is the tag "", as in newer releases
        ~ --etag-save | takes one URL; keeps the file after a failure, an error status, or a 304 without a tag, and has the final response's tag alone
        = --expect100-timeout
        = -f --fail
        = --fail-early
        = --fail-with-body
        - --follow | give -L, with --post301, --post302 or --post303 if need be
        ~ -F --form | ";type=" and ";filename=" may follow, files that commas separate are parts of one name each, and a boundary in a Content-Type of -H gives way to the one of the form; parts within parts and fields of a part are not supported
        - --form-escape | names are escaped as browsers do, with %22 for a quote
        = --form-string
        = -G --get
        ~ -g --globoff | without it, the patterns of a URL may stand for 10,000 of them, and {} is no pattern
        - --happy-eyeballs-timeout-ms | tern tries the next address after a time of its own
        - --haproxy-clientip | the header of the PROXY protocol names the addresses of the connection
        ~ --haproxy-protocol | says UNKNOWN behind a proxy, not the addresses of the connection to the proxy
        = -I --head
        ~ -H --header | a text that is no field is an error, unless it is blank or a line of a file
        ~ -h --help | shows the help of the command, with categories of its own: "all", "trust" and such
        - --hostpubmd5 --hostpubsha256 --knownhosts --pubkey | it is for SSH, and tern speaks HTTP
        ~ --hsts | may not be repeated, keeps what other programs write to the file meanwhile, and learns only from servers whose chain was validated
        - --http0.9 | tern takes no response without a head
        ~ -0 --http1.0 | answered by HTTP/1.1
        = --http1.1
        ~ --http2 | answered by HTTP/1.1, as a server without HTTP/2 would
        - --http2-prior-knowledge | tern speaks HTTP/1.1, which a server that begins with HTTP/2 does not understand
        - --http3 --http3-only | tern speaks HTTP/1.1: leave it out, or give --http2, which is answered by it
        - --ignore-content-length | tern takes a body only as long as it is announced: what follows may be the next response
        = -i --include
        ~ -k --insecure | cannot be combined with --cert-status
        ~ --interface | takes an interface or an address, and no host name
        - --ip-tos --vlan-priority --mptcp --tcp-fastopen | tern leaves this setting of sockets to the system
        - --ipfs-gateway | give the gateway's URL
        = -4 --ipv4
        = -6 --ipv6
        = --json
        = -j --junk-session-cookies
        = --keepalive-cnt
        ~ --keepalive-time | a number beyond the kernel's 32,767 s is an error
        = --key
        ~ --key-type | PEM and DER, and ENG and PROV for a URI of an engine or a provider
        - --libcurl | tern is no libcurl: the debug description of a request of the library is a curl command
        ~ --limit-rate | takes T and P too
        ~ --rate | redirects count, and it holds with -Z, too
        - -l --list-only | it is for FTP and POP3, and tern speaks HTTP
        = --local-port
        ~ -L --location | follows from https to http only with --allow-downgrade
        ~ --location-trusted | Digest stays with its server
        - --login-options --mail-auth --mail-from --mail-rcpt --mail-rcpt-allowfails --sasl-authzid --sasl-ir --upload-flags | it is for mail, and tern speaks HTTP
        - -M --manual | "tern --generate-manual" prints the manual page for man(1)
        = --max-filesize
        = --max-redirs
        ~ -m --max-time | holds for each --retry separately
        - --metalink | give the URL of the file
        ~ -n --netrc | a file that others may read is told, and no file is an error; a name in the URL chooses the entry with that name, and "default" is not for the targets of redirects
        ~ --netrc-file | a file that others may read is told, and no file is an error
        ~ --netrc-optional | a file that others may read is told
        ~ -: --next | without a URL behind it nothing is requested, not even what stands before it
        = --no-alpn
        = -N --no-buffer
        = --no-clobber
        = --clobber
        = --no-keepalive
        = --no-npn
        = --no-progress-meter
        = --no-sessionid
        ~ --noproxy | "*" counts among others, too, "*.HOST" is for the names beneath, and HOST:PORT for one port
        ~ --oauth2-bearer | an empty token is none
        - --out-null | give -o /dev/null
        ~ -o --output | replaces a file when the whole body has arrived, and leaves it unchanged otherwise; where there was none, what has come is left, as in curl
        = --output-dir
        ~ -Z --parallel | its line of progress has another form, and is shown on a terminal only
        ~ --parallel-immediate | changes nothing: connections are always opened at once
        ~ --parallel-max | more than 300 counts as 300; transfers for which there are no descriptors wait
        - --parallel-max-host | give --parallel-max, for all hosts together
        = --pass
        = --path-as-is
        = --pinnedpubkey
        = --post301
        = --post302
        = --post303
        ~ --preproxy | a SOCKS proxy
        = --proxy-anyauth
        = --proxy-basic
        = --proxy-cacert
        = --proxy-digest
        ~ --proxy-header | for CONNECT alone
        ~ --proxy-insecure | of the proxy that the option is for, and never of a server
        - --proxy-ca-native --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-key --proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser --proxy-tlsv1 | of the TLS of proxies tern sets --proxy-cacert and --proxy-insecure
        - --proxy-http2 --proxy1.0 | tern speaks HTTP/1.1 with proxies
        - --proxy-negotiate --proxy-ntlm --proxy-service-name --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service | tern authenticates with Basic and Digest, and with a name and a password in SOCKS 5 (-U)
        ~ -x --proxy | schemes are \(Proxy.Kind.schemes.joined(separator: ", "))
        ~ -U --proxy-user | with Basic, a name with a colon is refused
        = -p --proxytunnel
        = --socks4
        = --socks4a
        = --socks5
        = --socks5-hostname
        ~ -# --progress-bar | the progress is always a bar
        ~ --proto | schemes other than http and https do not exist
        ~ --proto-default | http and https
        ~ --proto-redir | schemes other than http and https do not exist
        - -Q --quote | it is for FTP and SFTP, and tern speaks HTTP
        = -r --range
        - --raw | give -H 'Accept-Encoding:'; chunks are always joined
        ~ -e --referer | a redirect from https to http has none
        ~ -J --remote-header-name | the name is made safe, and a file that exists stays
        = -O --remote-name
        = --remote-name-all
        = -R --remote-time
        = --remove-on-error
        ~ -X --request | an empty method is none
        ~ --request-target | an empty target is none
        ~ --resolve | "+" has no effect: an entry holds as long as the command; an IPv6 address in place of the host stands in brackets; behind a proxy it leads through a tunnel, but for http URLs, whose hosts a proxy of http resolves
        ~ --retry | does not wait longer than an hour for Retry-After, and repeats nothing after a part was written to standard output; with "-C -" it continues the file where it broke off, also after a lost connection
        = --retry-all-errors
        = --retry-connrefused
        = --retry-delay
        = --retry-max-time
        = --show-headers
        = -S --show-error
        - --sigalgs | tern takes signatures of at least 112 bits: choose keys with --ciphers and --curves
        = -s --silent
        - --skip-existing | check for the file before, or give --no-clobber
        = -Y --speed-limit
        = -y --speed-time
        - --ssl --ssl-reqd | it is for FTP and mail: give an https URL
        - --ssl-sessions | sessions of TLS are kept within one run
        - -B --use-ascii | tern writes bytes as they are: convert the file with another program
        - -2 --sslv2 | tern speaks TLS 1.2 and 1.3
        - -3 --sslv3 | tern speaks TLS 1.2 and 1.3
        = --stderr
        ~ --styled-output | changes nothing: heads are plain
        = --suppress-connect-headers
        ~ --tcp-nodelay | changes nothing: it is the default
        - -t --telnet-option | it is for TELNET, and tern speaks HTTP
        - --tftp-blksize --tftp-no-options | it is for TFTP, and tern speaks HTTP
        ~ -z --time-cond | dates of ISO 8601 are dates, too; a year of two digits is at most 50 years ahead; fewer names of time zones are known
        - --tls-earlydata | tern sends a request when the handshake is complete
        ~ --tls-max | 1.2, 1.3 or default
        = --tls13-ciphers
        - --tlsauthtype --tlspassword --tlsuser | OpenSSL has given up TLS-SRP: give --cert
        ~ -1 --tlsv1 | TLS 1.2 or later
        ~ --tlsv1.0 | TLS 1.2 or later
        ~ --tlsv1.1 | TLS 1.2 or later
        = --tlsv1.2
        = --tlsv1.3
        - --tr-encoding | tern asks for compressed bodies with --compressed
        - --trace --trace-ascii --trace-config --trace-ids --trace-time | -v shows requests and responses, and --report-json the times
        = --unix-socket
        ~ -T --upload-file | "." is the same as "-"
        = --url
        = --url-query
        ~ -u --user | needs the password: tern does not prompt for it; an empty text is none
        = -A --user-agent
        - --variable | use variables of the shell
        ~ -v --verbose | hides the values of credentials
        ~ -V --version | stands alone
        ~ -w --write-out | has no conn_id
        - --xattr | give -w '%{url_effective}', and store it with setfattr(1)
        """
    }
}
