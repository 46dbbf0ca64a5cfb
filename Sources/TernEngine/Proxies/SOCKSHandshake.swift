// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// SOCKS 5 (RFC 1928, RFC 1929), SOCKS 4 and SOCKS 4a.
struct SOCKSHandshake: TunnelHandshake {
    /// What the proxy connects to.
    enum Target: Equatable {
        case name(String, port: UInt16)
        case address(IPAddress, port: UInt16)
    }

    private enum Stage {
        /// SOCKS 5: the method. Exits: authenticating, connecting.
        case greeting
        /// RFC 1929. Exit: connecting.
        case authenticating
        /// Exit: open.
        case connecting
        /// Exit: none.
        case open
    }

    /// The error for a host that SOCKS 4 has no address of.
    static let noAddressOfVersion4 = ProxyError.unsendable("an IPv6 address in version 4")

    private let version: UInt8
    private let credential: PasswordCredential?
    private let target: Target
    private var stage = Stage.greeting
    /// The beginning of an answer, until it is complete.
    private var received: [UInt8] = []

    /// - Parameter target: a name or an address; SOCKS 4 takes an IPv4 address, and a name for SOCKS 4a.
    init(_ kind: Proxy.Kind, _ credential: PasswordCredential?, to target: Target) {
        version =
            switch kind.tunnelProtocol {
            case .socks4: 4
            case .socks5, .connect: 5
            }
        (self.credential, self.target) = (credential, target)
    }

    mutating func begin() throws(ProxyError) -> [UInt8] {
        if version == 4 {
            stage = .connecting
            return try requestOfVersion4()
        }
        if let credential {
            guard (1...255).contains(credential.userBytes.count), credential.passwordBytes.count <= 255 else {
                throw .unsendable("a name or a password of this length")
            }
            return [5, 2, 0, 2]
        }
        return [5, 1, 0]
    }

    mutating func receive(_ bytes: [UInt8], from offset: inout Int) throws(ProxyError) -> TunnelStep {
        while offset < bytes.count {
            received.append(bytes[offset])
            offset += 1
            // Each byte is judged when it arrives, so that a peer that speaks another protocol is not waited for.
            guard try isComplete() else { continue }
            defer { received = [] }
            switch try answered() {
            case .wait: continue
            case let step: return step
            }
        }
        return .wait
    }

    func brokenOff() -> ProxyError? { nil }

    var answer: ResponseHead? { nil }

    private func isComplete() throws(ProxyError) -> Bool {
        switch stage {
        case .greeting:
            guard received[0] == 5 else { throw .malformedSOCKS(.version) }
            return received.count == 2
        case .authenticating:
            guard received[0] == 1 else { throw .malformedSOCKS(.version) }
            return received.count == 2
        case .connecting where version == 4:
            guard received[0] == 0 else { throw .malformedSOCKS(.version) }
            return received.count == 8
        case .connecting:
            guard received[0] == 5 else { throw .malformedSOCKS(.version) }
            // A refusal counts without the address, which some proxies leave out.
            if received.count == 2, received[1] != 0 { return true }
            if received.count > 2, received[2] != 0 { throw .malformedSOCKS(.reserved) }
            guard received.count > 3 else { return false }
            switch received[3] {
            case 1: return received.count == 10
            case 3: return received.count > 4 && received.count == 7 + Int(received[4])
            case 4: return received.count == 22
            default: throw .malformedSOCKS(.addressType)
            }
        case .open: return false
        }
    }

    private mutating func answered() throws(ProxyError) -> TunnelStep {
        switch stage {
        case .greeting:
            switch received[1] {
            case 0:
                stage = .connecting
                return .send(try requestOfVersion5())
            case 2:
                guard let credential else { throw .malformedSOCKS(.method) }
                stage = .authenticating
                let (user, password) = (credential.userBytes, credential.passwordBytes)
                return .send(
                    [1, UInt8(truncatingIfNeeded: user.count)] + user
                        + [UInt8(truncatingIfNeeded: password.count)] + password)
            case 0xFF: throw .noAuthenticationMethod
            default: throw .malformedSOCKS(.method)
            }
        case .authenticating:
            guard received[1] == 0 else { throw .credentialRefused }
            stage = .connecting
            return .send(try requestOfVersion5())
        case .connecting:
            let isGranted = version == 4 ? received[1] == 90 : received[1] == 0
            guard isGranted else { throw .refusedBySOCKS(version: Int(version), code: received[1]) }
            stage = .open
            return .open
        case .open: return .open
        }
    }

    private func requestOfVersion5() throws(ProxyError) -> [UInt8] {
        switch target {
        case .name(let name, let port):
            let bytes = Array(name.utf8)
            guard (1...255).contains(bytes.count) else { throw .unsendable("a host name of this length") }
            return [5, 1, 0, 3, UInt8(truncatingIfNeeded: bytes.count)] + bytes + Self.bytes(port)
        case .address(let address, let port):
            let bytes = address.bytes
            return [5, 1, 0, bytes.count == 4 ? 1 : 4] + bytes + Self.bytes(port)
        }
    }

    private func requestOfVersion4() throws(ProxyError) -> [UInt8] {
        let user = credential?.userBytes ?? []
        guard !user.contains(0) else { throw .unsendable("a name with the byte 0") }
        switch target {
        case .name(let name, let port):
            guard !name.isEmpty, name.utf8.count <= 255 else { throw .unsendable("a host name of this length") }
            return [4, 1] + Self.bytes(port) + [0, 0, 0, 1] + user + [0] + Array(name.utf8) + [0]
        case .address(let address, let port):
            let bytes = address.bytes
            guard bytes.count == 4 else { throw Self.noAddressOfVersion4 }
            return [4, 1] + Self.bytes(port) + bytes + user + [0]
        }
    }

    private static func bytes(_ port: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    }
}
