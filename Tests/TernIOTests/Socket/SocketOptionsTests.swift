// SPDX-License-Identifier: Apache-2.0
// Safety: `getsockopt` writes to values of the given size.
import CTernLinux
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct SocketOptionsTests {
    private func options(_ change: (inout SocketOptions) -> Void) -> SocketOptions {
        var options = SocketOptions()
        change(&options)
        return options
    }

    /// The error of a socket that should have an option.
    private func failure(_ options: SocketOptions, to address: TransportAddress) -> SocketOptionError? {
        do throws(SocketFailure) {
            _ = try Socket.connecting(to: address, options: options)
            return nil
        } catch {
            return error.option
        }
    }

    private func number(_ socket: borrowing Socket, _ name: Int32, _ level: Int32 = Int32(IPPROTO_TCP)) -> Int32 {
        var (value, length) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
        _ = unsafe getsockopt(socket.descriptor.rawValue, level, name, &value, &length)
        return value
    }

    // Probes

    @Test func `the usual probes wait until they are asked for, and others are set at once`() throws {
        let listener = try Listener()
        let usual = try Socket.connecting(to: listener.address, options: SocketOptions())
        #expect(number(usual, SO_KEEPALIVE, SOL_SOCKET) == 0)
        try usual.detectDeadPeer()
        #expect(number(usual, TCP_KEEPIDLE) == 45)
        let options = options {
            $0.keepAlive = SocketOptions.KeepAlive(idle: .seconds(7), interval: .milliseconds(2500), count: 4)
            $0.userTimeout = .microseconds(1500)
        }
        let other = try Socket.connecting(to: listener.address, options: options)
        for _ in 0..<2 {
            #expect(number(other, SO_KEEPALIVE, SOL_SOCKET) == 1)
            #expect([TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { number(other, $0) } == [7, 3, 4])
            #expect(number(other, TCP_USER_TIMEOUT) == 2)
            try other.detectDeadPeer()
        }
    }

    @Test func `without probes and a timeout the kernel's settings stay`() throws {
        let listener = try Listener()
        let options = options { ($0.keepAlive, $0.userTimeout) = (nil, nil) }
        let socket = try Socket.connecting(to: listener.address, options: options)
        try socket.detectDeadPeer()
        #expect(number(socket, SO_KEEPALIVE, SOL_SOCKET) == 0)
        #expect(number(socket, TCP_USER_TIMEOUT) == 0)
    }

    @Test(
        arguments: [
            (SocketOptions.KeepAlive(idle: .zero), nil, SocketOptionError.Option.keepAlive),
            (SocketOptions.KeepAlive(idle: .seconds(32_768)), nil, .keepAlive),
            (SocketOptions.KeepAlive(interval: .seconds(-1)), nil, .keepAlive),
            (SocketOptions.KeepAlive(interval: .seconds(Int64.max)), nil, .keepAlive),
            (SocketOptions.KeepAlive(count: 0), nil, .keepAlive),
            (SocketOptions.KeepAlive(count: 128), nil, .keepAlive),
            (SocketOptions.KeepAlive(count: .max), nil, .keepAlive),
            (SocketOptions.KeepAlive(count: .min), nil, .keepAlive),
            (nil, Duration.seconds(-5), .userTimeout), (nil, .seconds(Int64.min), .userTimeout),
        ] as [(SocketOptions.KeepAlive?, Duration?, SocketOptionError.Option)])
    func `a value beyond the kernel's range names the option`(
        probes: SocketOptions.KeepAlive?, timeout: Duration?, option: SocketOptionError.Option
    ) throws {
        let error = failure(
            options { ($0.keepAlive, $0.userTimeout) = (probes, timeout) }, to: try Listener().address)
        #expect(error?.option == option)
        #expect(error?.rule == .outOfRange)
        #expect(error?.description.hasPrefix("the socket option \(option.rawValue) cannot be ") == true)
    }

    // Where it comes from

    @Test func `a socket is bound to the local address that it is given`() throws {
        let listener = try Listener()
        let options = options { $0.localAddress = IPAddress(literal: "127.0.0.2") }
        let socket = try Socket.connecting(to: listener.address, options: options)
        let peer = Socket(descriptor: try listener.accept())
        #expect(try peer.peerAddress()?.host == "127.0.0.2")
        #expect(try peer.peerAddress() == socket.localAddress())
    }

    @Test(arguments: [
        ("192.0.2.1", SocketOptionError.Rule.foreignAddress), ("::1", .otherFamily), ("::ffff:127.0.0.1", .otherFamily),
    ])
    func `a local address that cannot be bound to says why`(text: String, rule: SocketOptionError.Rule) throws {
        let address = try #require(IPAddress(literal: text))
        let error = failure(options { $0.localAddress = address }, to: try Listener().address)
        #expect(error?.option == .localAddress)
        #expect(error?.rule == rule)
        #expect(error?.value == text)
    }

    @Test func `the first free port of a range is taken, and none is an error`() throws {
        let (listener, other) = (try Listener(), try Listener())
        // A port that is in use, and those behind it.
        let taken = try #require(other.address.port)
        try #require(taken < 65_000)
        var kept = options { $0.localPorts = taken...(taken + 400) }
        let first = try Socket.connecting(to: listener.address, options: kept)
        let port = try #require(try first.localAddress()?.port)
        #expect(port > taken)
        let peer = Socket(descriptor: try listener.accept())
        #expect(try peer.peerAddress()?.port == port)
        for ports in [taken...taken, port...port] {
            kept.localPorts = ports
            let error = failure(kept, to: listener.address)
            #expect(error?.option == .localPorts)
            #expect(error?.rule == .noFreePort)
            #expect(error?.value == "\(ports.lowerBound)")
        }
        _ = consume first
    }

    @Test func `a socket is bound to a network interface`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address, options: options { $0.interface = "lo" })
        var (name, length) = ([UInt8](repeating: 0, count: Int(IFNAMSIZ)), socklen_t(IFNAMSIZ))
        #expect(
            unsafe getsockopt(socket.descriptor.rawValue, SOL_SOCKET, SO_BINDTODEVICE, &name, &length) == 0)
        #expect(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) == "lo")
    }

    @Test(arguments: ["nosuch0", "", "lo\0", "lo12345678901234567", "12345678901234567890"])
    func `an interface that does not exist says so`(name: String) throws {
        let error = failure(options { $0.interface = name }, to: try Listener().address)
        #expect(error?.option == .interface)
        #expect(error?.rule == .noInterface)
        #expect(error?.value == name)
    }

    @Test func `packets have the mark, if the process may set it`() throws {
        let listener = try Listener()
        let options = options { $0.mark = 0xF000_0007 }
        if let error = failure(options, to: listener.address) {
            #expect(error.option == .mark && error.rule == .notPermitted && error.value == "4026531847")
        } else {
            let socket = try Socket.connecting(to: listener.address, options: options)
            #expect(UInt32(bitPattern: number(socket, SO_MARK, SOL_SOCKET)) == 0xF000_0007)
        }
    }

    @Test func `a process without the right to mark packets is told so`() async throws {
        await #expect(processExitsWith: .success) {
            let listener = try Listener()
            _ = setuid(65_534)
            var options = SocketOptions()
            options.mark = 7
            do throws(SocketFailure) {
                _ = try Socket.connecting(to: listener.address, options: options)
                Issue.record("a mark was set")
            } catch {
                #expect(error.option?.option == .mark && error.option?.rule == .notPermitted)
            }
        }
    }

    @Test func `no option holds for a socket of the Unix domain`() throws {
        let listener = try UnixListener(UnixSocketName(abstract: UnixListener.freshPath(length: 60)))
        let options = options {
            ($0.interface, $0.localPorts, $0.mark, $0.keepAlive) = ("nosuch0", 1...1, 7, nil)
            $0.localAddress = IPAddress(literal: "192.0.2.1")
        }
        let socket = try Socket.connecting(to: listener.address, options: options)
        #expect(try socket.peerAddress() == listener.address)
    }

    @Test func `nothing can be connected to a peer without an address`() {
        #expect(throws: SystemCallError(.socket, code: EAFNOSUPPORT)) {
            _ = try Socket.connecting(to: .unnamed)
        }
        let address = unsafe TransportAddress.unnamed.withKernelForm { unsafe TransportAddress($0, length: $1) }
        #expect(address == nil && "\(TransportAddress.unnamed)" == "an unnamed peer")
    }

    // Of several addresses

    private func connect(
        to addresses: [TransportAddress], _ options: SocketOptions
    ) async throws -> Result<TransportAddress, ConnectError> {
        try await onLoop { loop in
            await withCheckedContinuation { continuation in
                var kept: Connector?
                let connector = Connector(addresses: addresses, options: options, loop: loop) { result in
                    withExtendedLifetime(kept) {}
                    kept = nil
                    switch consume result {
                    case .success(let connected):
                        loop.deregister(connected.token)
                        continuation.resume(returning: .success(connected.address))
                    case .failure(let error): continuation.resume(returning: .failure(error))
                    }
                }
                kept = connector
                connector.start()
            }
        }
    }

    @Test func `only addresses of the local address's family are connected to`() async throws {
        let listener = try Listener()
        let six = try #require(TransportAddress(literal: "::1", port: 1))
        let options = options { $0.localAddress = IPAddress(literal: "127.0.0.3") }
        #expect(try await connect(to: [six, listener.address], options).get() == listener.address)
        let refusing = try Listener.refusing()
        guard case .failure(let error) = try await connect(to: [six, refusing.address], options) else {
            Issue.record("connected")
            return
        }
        #expect(error.attempts.map(\.address) == [refusing.address] && error.optionError == nil)
        guard case .failure(let other) = try await connect(to: [six, six], options) else {
            Issue.record("connected")
            return
        }
        #expect(other.attempts.count == 2 && other.optionError?.rule == .otherFamily)
        #expect(other.description.hasPrefix("[::1]:1: the socket option localAddress cannot be 127.0.0.3: "))
    }
}
