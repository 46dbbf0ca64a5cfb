// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct TLSContextTests {
    @Test func `a configuration that contradicts itself is refused`() throws {
        var configuration = TLSConfiguration()
        configuration.minimumVersion = .v1_3
        configuration.maximumVersion = .v1_2
        #expect {
            try TLSContext(configuration)
        } throws: { error in
            if case .invalidConfiguration(.versions) = (error as? TLSError)?.reason { true } else { false }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func `an application protocol has 1 to 255 bytes`(name: String) throws {
        var configuration = TLSConfiguration()
        configuration.applicationProtocols = ["http/1.1", name]
        #expect {
            try TLSContext(configuration)
        } throws: { error in
            if case .invalidConfiguration(.applicationProtocol(name)) = (error as? TLSError)?.reason {
                true
            } else {
                false
            }
        }
    }

    @Test func `without application protocols none is offered and none is picked`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority()) { $0.applicationProtocols = [] }
        _ = try dialogue.handshake()
        #expect(dialogue.info.applicationProtocol == nil)
    }

    @Test func `a server that picks no application protocol is fine`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority(), server: .init(applicationProtocol: nil))
        _ = try dialogue.handshake()
        #expect(dialogue.info.applicationProtocol == nil)
    }

    /// The dear part, the system's certificates, is read once; ten times the promised millisecond is still far below it.
    @Test func `a second context costs next to nothing`() throws {
        _ = try TLSContext(TLSConfiguration())
        let clock = ContinuousClock()
        let times = try (0..<9).map { _ in try clock.measure { _ = try TLSContext(TLSConfiguration()) } }.sorted()
        #expect(times[4] < .milliseconds(10))
    }

    @Test func `sessions outlive the context they came from`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority())
        _ = try dialogue.handshake()
        try dialogue.seal([1])
        dialogue.server.receive(dialogue.takeOutgoing())
        #expect(try dialogue.server.read() == [1])
    }
}
