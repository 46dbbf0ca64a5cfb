// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Which addresses hosts have, with curl's option names.
struct NameOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag("-4", "--ipv4", help: "Use IPv4 addresses only.") { $0.family = .ipv4 },
            .flag("-6", "--ipv6", help: "Use IPv6 addresses only.") { $0.family = .ipv6 },
            .value(
                "--resolve", as: "host:port:address[,address]...", repeats: true,
                help: """
                    Connect to these addresses for this host and port of URLs; "*" is every host. "-host:port" takes an \
                    earlier one back.
                    """
            ) { try $0.resolve($1.text) },
            .value(
                "--connect-to", as: "host1:port1:host2:port2", repeats: true,
                help: """
                    Connect to host2 and port2 for URLs with host1 and port1; the first that matches counts. Each part may \
                    be empty: every host or port, or that of the URL.
                    """
            ) { try $0.connect($1.text) })
    }

    /// The last one counts, as in curl.
    var family = AddressFamily.any
    var addressOverrides: [AddressOverride] = []
    var endpointOverrides: [EndpointOverride] = []

    func apply(to configuration: inout SessionConfiguration) {
        configuration.addressFamily = family
        configuration.addressOverrides = addressOverrides
        configuration.endpointOverrides = endpointOverrides
    }

    /// As in curl, an override replaces an earlier one of the same host and port.
    private mutating func resolve(_ text: String) throws {
        do throws(InvalidOverride) {
            let removed = text.hasPrefix("-") ? try AddressOverride.key(String(text.dropFirst())) : nil
            let added = removed == nil ? try AddressOverride(text) : nil
            let (host, port) = removed.map { ($0.host, $0.port) } ?? (added?.host, added?.port)
            addressOverrides.removeAll { $0.host == host && $0.port == port }
            if let added { addressOverrides.append(added) }
        } catch {
            throw CommandFailure(.optionSyntax, "--resolve \(text.prefix(200)): \(error)")
        }
    }

    private mutating func connect(_ text: String) throws {
        if text.isEmpty { return }
        do throws(InvalidOverride) {
            endpointOverrides.append(try EndpointOverride(text))
        } catch {
            throw CommandFailure(.optionSyntax, "--connect-to \(text.prefix(200)): \(error)")
        }
    }
}
