// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct TransportAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("255.255.255.255", "255.255.255.255:80"), ("0.0.0.0", "0.0.0.0:80"),
        ("::1", "[::1]:80"), ("::", "[::]:80"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"),
        ("::ffff:1.2.3.4", "[::ffff:1.2.3.4]:80"),
    ])
    func `a literal reads back in its shortest form`(literal: String, description: String) throws {
        let address = try #require(TransportAddress(literal: literal, port: 80))
        #expect(address.description == description)
        #expect(address.isIPv6 == literal.contains(":"))
    }

    @Test(arguments: [
        "", "localhost", "127.1", "127.0.0.1 ", " 127.0.0.1", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "0x7f000001",
        "2130706433", "[::1]", "::1%", "::1%none", ":::", "1:2:3:4:5:6:7:8:9", "127.0.0.1\0", "127.0.0.1\0.example.com",
        "::1\0", "127.0.0.1:80", "１２７.0.0.1",
    ])
    func `what is no literal is nil`(text: String) {
        #expect(TransportAddress(literal: text, port: 80) == nil)
    }

    @Test(arguments: ["1.2.3.4", "2001:db8::17"], [0, 1, 443, 65535] as [UInt16])
    func `it survives the trip through the kernel's form`(literal: String, port: UInt16) throws {
        let address = try #require(TransportAddress(literal: literal, port: port))
        let copy = unsafe address.withKernelForm { pointer, length in
            #expect(Int(length) == (address.isIPv6 ? 28 : 16))
            return unsafe TransportAddress(pointer, length: length)
        }
        #expect(copy == address)
        #expect(copy?.port == port)
    }

    @Test func `the scope of a link-local address survives too, and makes a difference`() throws {
        let plain = try #require(TransportAddress(literal: "fe80::1", port: 1))
        guard case .ip(let address, _) = plain, case .v6(let high, let low, _) = address.storage else { return }
        let scoped = TransportAddress.ip(IPAddress(storage: .v6(high, low, scope: 7)), port: 1)
        let copy = unsafe scoped.withKernelForm { unsafe TransportAddress($0, length: $1) }
        #expect(copy == scoped)
        #expect(copy != plain)
    }

    @Test(arguments: [true, false], [1, 13, 107, 108])
    func `a Unix domain socket's survives it too`(isAbstract: Bool, length: Int) throws {
        let text = String(repeating: "x", count: isAbstract ? min(length, 107) : length)
        let name = try isAbstract ? UnixSocketName(abstract: text) : UnixSocketName(path: text)
        let copy = unsafe TransportAddress.unix(name).withKernelForm { pointer, length in
            #expect(Int(length) <= MemoryLayout<sockaddr_un>.size)
            return unsafe TransportAddress(pointer, length: length)
        }
        #expect(copy == .unix(name))
    }

    @Test func `a Unix domain socket has a name, and neither host nor port`() throws {
        let address = TransportAddress.unix(try UnixSocketName(path: "/run/web.sock"))
        #expect(address.description == "unix:/run/web.sock")
        #expect(address.host == nil)
        #expect(address.port == nil)
        #expect(TransportAddress.unix(try UnixSocketName(abstract: "web")).description == "unix:@web")
    }

    @Test func `unsupported address families are nil`() {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_NETLINK)
        let read = unsafe TransportAddress(&address, length: socklen_t(MemoryLayout<sockaddr>.size))
        #expect(read == nil)
    }

    @Test(arguments: ["1.2.3.4", "2001:db8::17"])
    func `less than a whole address is nil`(literal: String) throws {
        let address = try #require(TransportAddress(literal: literal, port: 80))
        unsafe address.withKernelForm { pointer, length in
            for short in 0..<length {
                let read = unsafe TransportAddress(pointer, length: short)
                #expect(read == nil)
            }
        }
    }

    @Test func `a failed question to the kernel is an error that names the call`() {
        #expect(throws: SystemCallError(.getpeername, code: ENOTSOCK)) {
            let file = Descriptor(owning: unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
            let raw = file.rawValue
            _ = try unsafe TransportAddress.asking(.getpeername) { unsafe getpeername(raw, $0, $1) }
        }
    }
}
