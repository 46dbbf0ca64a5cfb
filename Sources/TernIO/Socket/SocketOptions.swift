// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// How the sockets of connections are set up: their probes, where they come from, and their mark.
///
/// The options hold for connections to IP addresses, those to proxies included. A Unix domain socket has none of them.
public struct SocketOptions: Sendable, Hashable {
    /// When the kernel probes whether a silent peer is still there (RFC 9293 §3.8.4).
    public struct KeepAlive: Sendable, Hashable {
        /// The time without a byte before the first probe, from 1 to 32,767 s; fractions are rounded up.
        public var idle: Duration
        /// The time between two probes, in the same range.
        public var interval: Duration
        /// The number of probes without an answer after which the connection is lost, from 1 to 127; nil, the default,
        /// for the system's (`tcp_keepalive_probes`).
        public var count: Int?

        /// Probes after 45 s of silence, and then every 15 s.
        public init(idle: Duration = .seconds(45), interval: Duration = .seconds(15), count: Int? = nil) {
            (self.idle, self.interval, self.count) = (idle, interval, count)
        }
    }

    /// The probes of connections that are idle; nil for none.
    public var keepAlive: KeepAlive? = KeepAlive()
    /// How long sent bytes may stay without an acknowledgement before the connection is lost (`TCP_USER_TIMEOUT`), in
    /// milliseconds, rounded up; 60 s by default. Nil for the system's, about 15 minutes.
    public var userTimeout: Duration? = .seconds(60)
    /// The address of this machine that connections come from; nil, the default, lets the kernel choose. Only addresses of
    /// the same family are connected to.
    public var localAddress: IPAddress?
    /// The ports that connections come from: the first one that is free; nil, the default, lets the kernel choose. A port is
    /// in use for about a minute after its connection has ended, and each open connection needs one of its own.
    public var localPorts: ClosedRange<UInt16>?
    /// The name of the network interface that connections use, such as `eth0` (`SO_BINDTODEVICE`); nil, the default, for
    /// the one of the routing table.
    public var interface: String?
    /// The mark of all packets, for the rules of the firewall and of routing (`SO_MARK`); nil, the default, for none. The
    /// process needs `CAP_NET_ADMIN`.
    public var mark: UInt32?

    /// The usual options.
    public init() {}
}

/// An option of a socket that cannot be set. No byte was sent.
public struct SocketOptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The options, as they are named in ``SocketOptions``.
    public enum Option: String, Sendable, Hashable, CaseIterable {
        /// ``SocketOptions/keepAlive-swift.property``
        case keepAlive
        /// ``SocketOptions/userTimeout``
        case userTimeout
        /// ``SocketOptions/localAddress``
        case localAddress
        /// ``SocketOptions/localPorts``
        case localPorts
        /// ``SocketOptions/interface``
        case interface
        /// ``SocketOptions/mark``
        case mark
    }

    /// The rule that the value breaks.
    public enum Rule: Sendable, Hashable, CustomStringConvertible {
        /// The value is beyond the kernel's range.
        case outOfRange
        /// No address of the host has the family of the local address.
        case otherFamily
        /// The address is none of this machine.
        case foreignAddress
        /// All of the ports are in use.
        case noFreePort
        /// There is no network interface with this name.
        case noInterface
        /// The process has no right to set the option.
        case notPermitted
        /// The kernel refuses the value for another reason.
        case refused

        public var description: String {
            switch self {
            case .outOfRange: "the value is out of range"
            case .otherFamily: "no address of the host has the family of this address"
            case .foreignAddress: "this machine does not have the address"
            case .noFreePort: "all of the ports are in use"
            case .noInterface: "there is no such network interface"
            case .notPermitted: "the process has no right to set it"
            case .refused: "the kernel refuses it"
            }
        }
    }

    /// The option.
    public let option: Option
    /// Its value, as text.
    public let value: String
    /// The answer of the kernel.
    public let error: SystemCallError

    package init(_ option: Option, _ value: String, _ error: SystemCallError) {
        (self.option, self.value, self.error) = (option, value, error)
    }

    /// The rule that the value breaks.
    public var rule: Rule {
        switch (option, error.code) {
        case (_, EPERM), (_, EACCES): .notPermitted
        case (.localAddress, EAFNOSUPPORT): .otherFamily
        case (.localAddress, EADDRNOTAVAIL): .foreignAddress
        case (.localPorts, EADDRINUSE): .noFreePort
        case (.interface, ENODEV): .noInterface
        case (.keepAlive, EINVAL), (.userTimeout, EINVAL): .outOfRange
        default: .refused
        }
    }

    /// For example "the socket option interface cannot be eth7: there is no such network interface (errno 19)".
    public var description: String {
        "the socket option \(option.rawValue) cannot be \(value.prefix(64)): \(rule) (errno \(error.code))"
    }
}

/// Setting them on a new socket.
extension SocketOptions {
    /// Whether the probes are the usual ones, which are set when they are needed.
    var hasUsualProbes: Bool { keepAlive == KeepAlive() && userTimeout == .seconds(60) }

    /// Sets them before the socket connects; the usual probes are left for later.
    func set(_ descriptor: borrowing Descriptor, family: Int32) throws(SocketFailure) {
        do throws(SocketOptionError) {
            if let mark {
                try Self.set(descriptor, SOL_SOCKET, SO_MARK, Int32(bitPattern: mark), (.mark, "\(mark)"))
            }
            if let interface { try Self.bind(descriptor, toInterface: interface) }
            if localAddress != nil || localPorts != nil { try bind(descriptor, family: family) }
            if !hasUsualProbes { try setProbes(descriptor) }
        } catch {
            throw .option(error)
        }
    }

    /// Whether an address can be connected to from the local address.
    func permits(_ address: TransportAddress) -> Bool {
        guard case .ip(let address, _) = address, let localAddress else { return true }
        return address.isIPv6 == localAddress.isIPv6
    }

    /// Sets the probes: four system calls for the usual ones.
    func setProbes(_ descriptor: borrowing Descriptor) throws(SocketOptionError) {
        if let keepAlive {
            let option = (SocketOptionError.Option.keepAlive, keepAlive.text)
            let tcp = Int32(IPPROTO_TCP)
            try Self.set(descriptor, tcp, TCP_KEEPIDLE, Self.count(keepAlive.idle, of: .seconds(1)), option)
            try Self.set(descriptor, tcp, TCP_KEEPINTVL, Self.count(keepAlive.interval, of: .seconds(1)), option)
            if let count = keepAlive.count {
                try Self.set(descriptor, tcp, TCP_KEEPCNT, Int32(clamping: count), option)
            }
            try Self.set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1, option)
        }
        if let userTimeout {
            let time = Self.count(userTimeout, of: .milliseconds(1))
            try Self.set(
                descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, time, (.userTimeout, "\(userTimeout)"))
        }
    }

    /// The number of units in a time, rounded up, so that a positive time stays one.
    private static func count(_ time: Duration, of unit: Duration) -> Int32 {
        let units = (time / unit).rounded(.up)
        return units >= Double(Int32.max) ? .max : units <= -1 ? -1 : Int32(units)
    }

    private static func bind(
        _ descriptor: borrowing Descriptor, toInterface name: String
    ) throws(SocketOptionError) {
        let bytes = Array(name.utf8)
        // The kernel would shorten a longer name, which may be that of another interface, and unbind for an empty one.
        guard !bytes.isEmpty, bytes.count < Int(IFNAMSIZ), !bytes.contains(0) else {
            throw SocketOptionError(.interface, name, SystemCallError(.setsockopt, code: ENODEV))
        }
        do throws(SystemCallError) {
            _ = try SystemCall.run(.setsockopt) {
                unsafe bytes.withUnsafeBytes {
                    unsafe setsockopt(
                        descriptor.rawValue, SOL_SOCKET, SO_BINDTODEVICE, $0.baseAddress, socklen_t($0.count))
                }
            }
        } catch {
            throw SocketOptionError(.interface, name, error)
        }
    }

    private func bind(_ descriptor: borrowing Descriptor, family: Int32) throws(SocketOptionError) {
        let anyAddress = family == AF_INET6 ? IPAddress(storage: .v6(0, 0, scope: 0)) : IPAddress(storage: .v4(0))
        let address = localAddress ?? anyAddress
        let ports = localPorts ?? 0...0
        var last = SystemCallError(.bind, code: EADDRINUSE)
        for port in ports {
            do throws(SystemCallError) {
                return try Self.bind(descriptor, to: .ip(address, port: port), family: family)
            } catch {
                last = error
                // A port below 1024 may need a right that the next one does not need.
                if error.code != EADDRINUSE && error.code != EACCES { break }
            }
        }
        if let localAddress, last.code != EADDRINUSE, last.code != EACCES {
            throw SocketOptionError(.localAddress, "\(localAddress)", last)
        }
        let isOne = ports.lowerBound == ports.upperBound
        throw SocketOptionError(
            .localPorts, isOne ? "\(ports.lowerBound)" : "\(ports.lowerBound)-\(ports.upperBound)", last)
    }

    private static func bind(
        _ descriptor: borrowing Descriptor, to local: TransportAddress, family: Int32
    ) throws(SystemCallError) {
        // The kernel would bind a socket of IPv6 to an IPv4 address that is mapped, and to none of the other family.
        guard local.family == family else { throw SystemCallError(.bind, code: EAFNOSUPPORT) }
        // The kernel then chooses the port in connect(2), so that one port serves several destinations.
        if local.port == 0 {
            try Socket.set(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
        }
        _ = try SystemCall.run(.bind) {
            unsafe local.withKernelForm { unsafe TernLibC.bind(descriptor.rawValue, $0, $1) }
        }
    }

    private static func set(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ name: Int32, _ value: Int32,
        _ option: (SocketOptionError.Option, String)
    ) throws(SocketOptionError) {
        do throws(SystemCallError) {
            try Socket.set(descriptor, level, name, value)
        } catch {
            throw SocketOptionError(option.0, option.1, error)
        }
    }
}

/// Why a socket did not begin to connect.
enum SocketFailure: Error {
    case system(SystemCallError)
    case option(SocketOptionError)

    /// The answer of the kernel.
    var error: SystemCallError {
        switch self {
        case .system(let error): error
        case .option(let error): error.error
        }
    }

    /// The option that could not be set; nil for another cause.
    var option: SocketOptionError? {
        switch self {
        case .system: nil
        case .option(let error): error
        }
    }

    static func wrapping<Value: ~Copyable>(
        _ body: () throws(SystemCallError) -> Value
    ) throws(SocketFailure) -> Value {
        do throws(SystemCallError) { return try body() } catch { throw .system(error) }
    }
}

extension SocketOptions.KeepAlive {
    fileprivate var text: String {
        "\(idle), every \(interval)" + (count.map { ", \($0) probes" } ?? "")
    }
}
