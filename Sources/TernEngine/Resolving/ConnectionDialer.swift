// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
import TernLock

/// Opens connections in place of the system's look-up and connect(2): over vsock, through another program such as an SSH
/// client, or with a descriptor that the process has inherited. TLS and HTTP follow on the connection as on any other, and
/// the server's certificate must be for the URL's host.
///
/// An object, so that connections of one dialer are shared by the requests that name it, and by no others.
public final class ConnectionDialer: Sendable {
    private let body: @Sendable (HTTPOrigin) async throws -> Descriptor
    /// Distinguishes what it leads to from what others do, also in a cache that several processes use.
    let number = UInt64.random(in: .min ... .max)

    /// Creates a dialer that calls `connect` for each connection, in a task of its own, which is cancelled when the
    /// connection is not wanted any more: what it returns then is closed. ``Timeouts/connect`` bounds the call, the TLS
    /// handshake included.
    ///
    /// - Parameter connect: gets the scheme, the host (in lower case, an IPv6 address in brackets) and the port of the
    ///   URL, or of the first proxy. It returns a connected stream socket, on which nothing has been received. The descriptor is
    ///   the session's from then on: it becomes non-blocking, and is closed with the connection. A copy of it (dup(2))
    ///   keeps the connection open for its peer. What `connect` throws is the
    ///   ``ConnectionDialerError/underlying`` of the request's error.
    public init(_ connect: @escaping @Sendable (_ destination: HTTPOrigin) async throws -> Descriptor) {
        body = connect
    }

    /// Creates a dialer for one connected stream socket, such as one that the process has inherited. It serves the first
    /// connection; another one fails with ``ConnectionDialerError/Reason/used``. The descriptor is closed with that
    /// connection, or with the dialer.
    public convenience init(descriptor: consuming Descriptor) {
        let inherited = DialledDescriptor(descriptor)
        self.init { _ in
            guard let descriptor = inherited.take() else { throw ConnectionDialerError(.used) }
            return descriptor
        }
    }

    fileprivate func connection(to destination: HTTPOrigin) async -> Result<DialledDescriptor, ConnectionDialerError> {
        do {
            return .success(DialledDescriptor(try await body(destination)))
        } catch let error as ConnectionDialerError {
            return .failure(error)
        } catch {
            return .failure(ConnectionDialerError(.failed, underlying: error))
        }
    }
}

extension ConnectionDialer: Hashable {
    /// Whether both are the same object.
    public static func == (left: ConnectionDialer, right: ConnectionDialer) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A ``ConnectionDialer`` gave no connection.
public struct ConnectionDialerError: Error, Sendable, CustomStringConvertible {
    /// Why there is no connection.
    public enum Reason: Sendable, Hashable {
        /// The closure has thrown an error.
        case failed
        /// The closure returned a descriptor that cannot be used. It is closed.
        case invalid(InvalidDescriptor)
        /// The one descriptor of the dialer has served a connection already.
        case used
    }

    /// The reason.
    public let reason: Reason
    /// What the closure has thrown; nil for another reason.
    public let underlying: (any Error)?

    /// Creates an error, for dialers of the program's own.
    public init(_ reason: Reason, underlying: (any Error)? = nil) {
        (self.reason, self.underlying) = (reason, underlying)
    }

    /// For example "the dialer returned a descriptor of no socket".
    public var description: String {
        switch reason {
        case .failed: "the dialer failed" + (underlying.map { ": \("\($0)".prefix(200))" } ?? "")
        case .invalid(let rule): "the dialer returned \(rule)"
        case .used: "the descriptor of the dialer has served a connection already"
        }
    }
}

/// A descriptor on its way between threads. It is closed with the object, unless it was taken.
final class DialledDescriptor: Sendable {
    private let descriptor: Lock<Descriptor?>

    init(_ descriptor: consuming Descriptor) { self.descriptor = Lock(descriptor) }

    /// The first call gets it.
    func take() -> Descriptor? { descriptor.withLock { $0.take() } }
}

/// One call of a dialer.
typealias DialerQuestion = AsyncQuestion<Result<DialledDescriptor, ConnectionDialerError>>

extension DialerQuestion {
    convenience init(
        to dialer: ConnectionDialer, about destination: HTTPOrigin, _ completion: @escaping Completion
    ) {
        self.init({ await dialer.connection(to: destination) }, completion)
    }
}
