// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Where connections come from, how they are probed, with curl's option names, and which of the rules for responses are
/// relaxed.
struct ConnectionOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--interface", as: "name",
                help: """
                    Connect from this network interface or this address; "if!NAME" is always an interface, "host!ADDRESS" \
                    an address, and "ifhost!NAME!ADDRESS" names both.
                    """
            ) { $0.place = try Place(argument: $1.text) },
            .value("--local-port", as: "port[-port]", help: "Connect from the first free one of these ports.") {
                $0.ports = try $1.read(Self.ports)
            },
            .toggle("--no-keepalive", help: "Send no probes on idle connections.") { $0.isProbing = !$1 },
            .value(
                "--keepalive-time", as: "seconds",
                help: "The time before the first probe of an idle connection, and between two; 0 is the default."
            ) { $0.time = try $1.read(Self.seconds) },
            .value("--keepalive-intvl", as: "seconds", help: "Only the time between two of them.") {
                $0.interval = try $1.read(Self.seconds)
            },
            .value(
                "--keepalive-cnt", as: "number",
                help: "The number of probes without an answer after which the connection is lost, from 1 to 127."
            ) { $0.count = try $1.read { Int($0).flatMap { (0...127).contains($0) ? $0 : nil } } },
            .value(
                "--lenient", as: "rules",
                help: """
                    Accept responses that break these rules, a list with commas: "bare-lf", a line of a head ends in LF \
                    alone; "chunked-http10", a response of HTTP/1.0 has chunks.
                    """
            ) { $0.leniency = try $1.read(Self.leniency) })
    }

    /// The rules that `--lenient` names.
    private static let leniencies: [(name: String, rule: ParsingLeniency)] = [
        ("bare-lf", .bareLineFeedInHead), ("chunked-http10", .chunkedInHTTP10),
    ]

    private static func leniency(_ text: String) -> ParsingLeniency? {
        var rules: ParsingLeniency = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let known = leniencies.first(where: { $0.name == name }) else { return nil }
            rules.insert(known.rule)
        }
        return rules
    }

    /// The value of `--interface`.
    struct Place: Equatable {
        var interface: String?
        var address: IPAddress?

        /// As in curl: an address, or else the name of an interface, unless a prefix says which.
        init(argument: String) throws {
            if let name = Self.rest(of: argument, after: "if!") {
                interface = name
            } else if let text = Self.rest(of: argument, after: "host!") {
                address = try Self.address(text)
            } else if let text = Self.rest(of: argument, after: "ifhost!") {
                let parts = text.split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false)
                (interface, address) = (String(parts[0]), try Self.address(parts.count > 1 ? String(parts[1]) : ""))
            } else if let address = IPAddress(literal: argument) {
                self.address = address
            } else if !argument.isEmpty {
                interface = argument
            }
        }

        private static func address(_ text: String) throws -> IPAddress {
            guard let address = IPAddress(literal: text) else {
                throw CommandFailure(.localEnd, "--interface: \(text.prefix(200)): no IP address")
            }
            return address
        }

        private static func rest(of text: String, after prefix: String) -> String? {
            text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
        }
    }

    var place: Place?
    /// From 0 for a port that the kernel chooses.
    var ports: ClosedRange<UInt16>?
    var isProbing = true
    var time = 0
    var interval = 0
    var count = 0
    var leniency: ParsingLeniency = []

    func apply(to configuration: inout SessionConfiguration) {
        var options = SocketOptions()
        (options.interface, options.localAddress) = (place?.interface, place?.address)
        if let ports, ports.lowerBound > 0 { options.localPorts = ports }
        if isProbing {
            var probes = SocketOptions.KeepAlive()
            if time > 0 { (probes.idle, probes.interval) = (.seconds(time), .seconds(time)) }
            if interval > 0 { probes.interval = .seconds(interval) }
            if count > 0 { probes.count = count }
            options.keepAlive = probes
        } else {
            options.keepAlive = nil
        }
        configuration.socketOptions = options
        configuration.leniency = leniency
    }

    /// Within the kernel's range, or 0.
    private static func seconds(_ text: String) -> Int? {
        Int(text).flatMap { (0...32_767).contains($0) ? $0 : nil }
    }

    /// `FROM` or `FROM-TO`.
    private static func ports(_ text: String) -> ClosedRange<UInt16>? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt16($0) }
        guard let first = parts.first ?? nil, let last = parts.last ?? nil, first <= last else { return nil }
        return first...last
    }
}
