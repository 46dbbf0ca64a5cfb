// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernTLS
@testable import TernTesting

/// TLS in TLS, with OpenSSL at the other end and no socket between.
@Suite struct LayersTests {
    private let proxy: CertificateAuthority
    private let origin: CertificateAuthority

    init() throws {
        proxy = try CertificateAuthority()
        origin = try CertificateAuthority()
    }

    @Test(arguments: [1, 5, 21, 1000, 1 << 20])
    func `a conversation within TLS within TLS arrives whole, however it is cut`(size: Int) throws {
        var layers = Layers(try session("proxy.test", trusting: proxy))
        let far = try FarEnd(
            outer: proxy.issue(LeafRequest(dnsNames: ["proxy.test"])),
            inner: origin.issue(LeafRequest(dnsNames: ["origin.test"])))
        try layers.shakeHands(with: far, cut: size)
        #expect(far.outer.handshake(on: 1).serverName == "proxy.test")
        #expect(try layers.say("CONNECT", to: far) == "CONNECT")
        #expect(try layers.hear("200", from: far, cut: size) == "200")

        layers.add(try session("origin.test", trusting: origin))
        far.isNested = true
        try layers.shakeHands(with: far, cut: size)
        #expect(far.inner.handshake(on: 1).serverName == "origin.test")
        let (host, version) = (layers.trust?.host, layers.info?.version)
        #expect(host == "origin.test")
        #expect(version == "TLSv1.3")

        let question = String(repeating: "question ", count: size == 1 ? 100 : 10_000)
        let answer = String(repeating: "answer ", count: size == 1 ? 100 : 10_000)
        for _ in 0..<2 {
            #expect(try layers.say(question, to: far) == question)
            #expect(try layers.hear(answer, from: far, cut: size) == answer)
            try far.inner.updateKeys()
            try far.outer.updateKeys()
        }
        let isPending = layers.hasPending
        #expect(!isPending)
    }

    @Test func `goodbye is said by every layer, the upper one first`() throws {
        try connected { far, near in
            near.close()
            far.take(near.drained())
            #expect(throws: ConnectionEnd.client(.closeNotify)) { try far.heard() }
            #expect(throws: ConnectionEnd.client(.closeNotify)) { try far.heardOutside() }
        }
    }

    @Test func `the server's goodbye is an end in order`() throws {
        try connected { far, near in
            far.inner.notifyClose()
            let opened = try near.open(far.takeOutput())
            #expect(opened == [.endOfStream(isOrderly: true)])
        }
    }

    @Test func `the proxy's goodbye is none of the server's`() throws {
        try connected { far, near in
            try far.say("cut short")
            let ciphertext = far.takeOutput()
            far.outer.notifyClose()
            let opened = try near.open(ciphertext + far.outer.takeOutput())
            #expect(opened == [.bytes(9), .endOfStream(isOrderly: false)])
        }
    }

    @Test func `garbage is an error in either layer, and reported to its sender`() throws {
        let garbage = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        for isWithin in [false, true] {
            try connected { far, near in
                if isWithin { try far.outer.write(garbage) }
                let ciphertext = isWithin ? far.outer.takeOutput() : garbage
                do {
                    _ = try near.open(ciphertext)
                    Issue.record("opened")
                } catch let error as TLSError {
                    #expect(error.reason == .protocolViolation)
                }
                far.isNested = isWithin
                far.take(near.drained())
                let told = #expect(throws: ConnectionEnd.self) {
                    _ = try far.heard()
                }
                guard case .client(.alert)? = told else {
                    Issue.record("\(String(describing: told))")
                    return
                }
            }
        }
    }

    @Test func `a server that is refused within the tunnel gets an alert, and nothing more`() throws {
        var layers = Layers(try session("proxy.test", trusting: proxy))
        let far = try FarEnd(
            outer: proxy.issue(LeafRequest(dnsNames: ["proxy.test"])),
            inner: origin.issue(LeafRequest(dnsNames: ["origin.test"])))
        try layers.shakeHands(with: far, cut: 1 << 20)
        layers.add(try session("origin.test", trusting: proxy))
        far.isNested = true
        do {
            try layers.shakeHands(with: far, cut: 1 << 20)
            Issue.record("trusted")
        } catch let error as TLSError {
            #expect(error.trustFailure?.host == "origin.test")
        }
        far.take(layers.drained())
        let told = #expect(throws: ConnectionEnd.self) { _ = try far.inner.shakeHands() }
        guard case .client(.alert)? = told else {
            Issue.record("\(String(describing: told))")
            return
        }
        // The tunnel stands.
        try far.outer.write([1, 2, 3])
    }

    @Test func `the end of the tunnel ends a handshake within it`() throws {
        var layers = Layers(try session("proxy.test", trusting: proxy))
        let far = try FarEnd(
            outer: proxy.issue(LeafRequest(dnsNames: ["proxy.test"])),
            inner: origin.issue(LeafRequest(dnsNames: ["origin.test"])))
        try layers.shakeHands(with: far, cut: 1 << 20)
        layers.add(try session("origin.test", trusting: origin))
        _ = try layers.handshake([])
        far.outer.notifyClose()
        do {
            _ = try layers.handshake(far.outer.takeOutput())
            Issue.record("continues")
        } catch let error as TLSError {
            #expect(error.reason == .truncated)
        }
    }

    @Test func `without layers nothing is sealed and nothing opened`() throws {
        var layers = Layers(nil)
        let isSecure = layers.isSecure
        #expect(!isSecure)
        #expect(try layers.open([1, 2, 3]) == [])
        #expect(layers.drained() == [])
    }

    /// Shakes hands twice.
    private func connected(_ body: (FarEnd, inout Layers) throws -> Void) throws {
        var layers = Layers(try session("proxy.test", trusting: proxy))
        let far = try FarEnd(
            outer: proxy.issue(LeafRequest(dnsNames: ["proxy.test"])),
            inner: origin.issue(LeafRequest(dnsNames: ["origin.test"])))
        try layers.shakeHands(with: far, cut: 1 << 20)
        layers.add(try session("origin.test", trusting: origin))
        far.isNested = true
        try layers.shakeHands(with: far, cut: 1 << 20)
        try body(far, &layers)
    }

    private func session(_ host: String, trusting authority: CertificateAuthority) throws -> TLSSession {
        var configuration = TLSSettings()
        configuration.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        return try TLSSession(
            context: TLSContext(configuration), host: host, policy: .performDefaultEvaluation(validateHost: true))
    }
}

/// A proxy that speaks TLS, and behind it a server that does, too.
private final class FarEnd {
    let outer: TLSServerSession
    let inner: TLSServerSession
    /// Whether what comes out of the outer session is the inner one's.
    var isNested = false
    private var plaintext = [UInt8](repeating: 0, count: 1 << 15)

    init(outer: Identity, inner: Identity) throws {
        self.outer = try #require(TLSServerSession(TLSServerContext(outer, .init())))
        self.inner = try #require(TLSServerSession(TLSServerContext(inner, .init())))
    }

    private var top: TLSServerSession { isNested ? inner : outer }

    func take(_ ciphertext: [UInt8]) {
        outer.feed(ciphertext)
        guard isNested else { return }
        while let (progress, count) = try? outer.read(into: &plaintext), case .done = progress {
            inner.feed(Array(plaintext.prefix(count)))
        }
    }

    /// Its outgoing bytes, in the form in which they travel.
    func takeOutput() -> [UInt8] {
        if isNested { try? outer.write(inner.takeOutput()) }
        return outer.takeOutput()
    }

    func shakeHands() throws { _ = try top.shakeHands() }

    func say(_ text: String) throws { try top.write(Array(text.utf8)) }

    func heard() throws -> String { try heard(by: top) }

    func heardOutside() throws -> String { try heard(by: outer) }

    private func heard(by session: TLSServerSession) throws -> String {
        var heard: [UInt8] = []
        while true {
            let (progress, count) = try session.read(into: &plaintext)
            guard case .done = progress else { return String(decoding: heard, as: UTF8.self) }
            heard += plaintext.prefix(count)
        }
    }
}

extension Layers {
    fileprivate mutating func drained() -> [UInt8] {
        var drained: [UInt8] = []
        while outgoingCount > 0 {
            unsafe drainOutgoing { bytes in
                drained += unsafe Array(bytes)
                return bytes.count
            }
        }
        return drained
    }

    fileprivate mutating func handshake(_ ciphertext: [UInt8]) throws -> HandshakeProgress {
        var offset = 0
        let progress = try unsafe ciphertext.withUnsafeBytes { try unsafe handshake($0, from: &offset) }
        // Of what came behind a handshake, only tickets.
        if case .complete = progress { #expect(try open(Array(ciphertext[offset...])).allSatisfy { $0 == .message }) }
        return progress
    }

    fileprivate mutating func shakeHands(with far: FarEnd, cut size: Int) throws {
        var isComplete = try handshake([]) == .complete
        while !isComplete {
            far.take(drained())
            try far.shakeHands()
            var rest = far.takeOutput()[...]
            try #require(!rest.isEmpty)
            while !rest.isEmpty {
                let piece = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                if isComplete {
                    #expect(try open(piece).allSatisfy { $0 == .message })
                } else {
                    isComplete = try handshake(piece) == .complete
                }
            }
        }
        far.take(drained())
        try far.shakeHands()
        #expect(try open(far.takeOutput()).allSatisfy { $0 == .message })
    }

    fileprivate mutating func open(_ ciphertext: [UInt8]) throws -> [Received] {
        var plaintext: [UInt8] = []
        return try open(ciphertext, appendingTo: &plaintext)
    }

    fileprivate mutating func open(_ ciphertext: [UInt8], appendingTo plaintext: inout [UInt8]) throws -> [Received] {
        // Less than a record, so that some of it must wait.
        var buffer = [UInt8](repeating: 0, count: 10_000)
        var (offset, events): (Int, [Received]) = (0, [])
        while true {
            let received = try unsafe buffer.withUnsafeMutableBytes { target in
                try unsafe ciphertext.withUnsafeBytes { try unsafe open($0, from: &offset, into: target) }
            }
            switch received {
            case .nothing:
                #expect(!isSecure || offset == ciphertext.count)
                return events
            case .bytes(let count): plaintext += buffer.prefix(count)
            case .message: break
            case .endOfStream: return events + [received]
            }
            events.append(received)
        }
    }

    /// Says it, and what has arrived of it.
    fileprivate mutating func say(_ text: String, to far: FarEnd) throws -> String {
        try unsafe Array(text.utf8).withUnsafeBytes { try unsafe seal($0) }
        far.take(drained())
        return try far.heard()
    }

    fileprivate mutating func hear(_ text: String, from far: FarEnd, cut size: Int) throws -> String {
        try far.say(text)
        var rest = far.takeOutput()[...]
        var plaintext: [UInt8] = []
        while !rest.isEmpty {
            _ = try open(Array(rest.prefix(size)), appendingTo: &plaintext)
            rest = rest.dropFirst(size)
        }
        return String(decoding: plaintext, as: UTF8.self)
    }
}
