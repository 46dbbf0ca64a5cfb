// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// The rule that a descriptor breaks which should be a connection.
public enum InvalidDescriptor: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is not open.
    case notOpen
    /// It is of no socket.
    case notASocket
    /// It is a socket of datagrams, or of another kind than a stream.
    case notAStream
    /// It is not connected: it listens, still connects, or has lost its peer.
    case notConnected
    /// An option that holds for it cannot be set.
    case option(SocketOptionError)
    /// The kernel refuses a call.
    case system(SystemCallError)

    /// For a sentence, such as "a descriptor of no socket".
    public var description: String {
        switch self {
        case .notOpen: "a descriptor that is not open"
        case .notASocket: "a descriptor of no socket"
        case .notAStream: "a socket that is no stream"
        case .notConnected: "a socket that is not connected"
        case .option(let error): "a socket, but \(error)"
        case .system(let error): "a socket that cannot be used: \(error)"
        }
    }
}

extension Connector {
    /// Takes over a connected stream socket of any family, which becomes non-blocking. It is closed if it cannot be used.
    /// Of `options`, those about probes hold if it is a TCP socket; the others are for sockets that connect. The socket is
    /// registered with `loop`.
    public static func adopting(
        _ descriptor: consuming Descriptor, options: SocketOptions, loop: ReactorLoop
    ) throws(InvalidDescriptor) -> Connected {
        let raw = descriptor.rawValue
        // Not by `SystemCall`, for which a descriptor that is not open is an error of this package.
        let flags = fcntl(raw, F_GETFL)
        if flags < 0 { throw .notOpen }
        guard let type = value(of: raw, SO_TYPE) else { throw .notASocket }
        guard type == Int32(SOCK_STREAM.rawValue) else { throw .notAStream }
        if value(of: raw, SO_ACCEPTCONN) ?? 0 != 0 { throw .notConnected }
        let isIP = [AF_INET, AF_INET6].contains(value(of: raw, SO_DOMAIN))
        let isTCP = isIP && value(of: raw, SO_PROTOCOL) == Int32(IPPROTO_TCP)
        if isTCP {
            do throws(SocketOptionError) {
                if !options.hasUsualProbes { try options.setProbes(descriptor) }
            } catch {
                throw .option(error)
            }
            // Without it small messages are only slower.
            try? Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        _ = fcntl(raw, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        let socket = Socket(descriptor: descriptor, isTCP: isTCP, isProbed: !options.hasUsualProbes)
        let peer: TransportAddress?
        do throws(SystemCallError) { peer = try socket.peerAddress() } catch { throw .notConnected }
        let local = try? socket.localAddress()
        do throws(SystemCallError) {
            let token = try loop.register(socket.descriptor, interest: [], handler: NoOpHandler.shared)
            return Connected(socket: socket, token: token, address: peer ?? .unnamed, localAddress: local ?? nil)
        } catch {
            throw .system(error)
        }
    }

    private static func value(of descriptor: Int32, _ name: Int32) -> Int32? {
        var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
