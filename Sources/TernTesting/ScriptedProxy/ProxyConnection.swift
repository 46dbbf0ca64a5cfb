// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// One connection to a proxy from accept to close, on a thread of its own.
struct ProxyConnection {
    private let number: Int
    private let stream: OriginStream
    /// The name and the password that are required, with a colon between them.
    private let login: String?
    private let fault: ProxyFault?
    private let route: ScriptedProxy.Route
    private let log: ProxyLog
    /// The release that a held answer waits for.
    private let hold: Latch
    private var reader: RequestReader
    /// The number of bytes of its answers so far.
    private var answered = 0
    /// The position of the current request among all of the proxy.
    private var current = 0

    init(
        number: Int, stream: OriginStream, login: String?, fault: ProxyFault?, route: @escaping ScriptedProxy.Route,
        log: ProxyLog, hold: Latch
    ) {
        (self.number, self.stream, self.login, self.fault) = (number, stream, login, fault)
        (self.route, self.log, self.hold) = (route, log, hold)
        reader = RequestReader(stream)
    }

    /// The end of the connection is observable as that of its socket.
    mutating func run() {
        do throws(ConnectionEnd) {
            _ = try stream.shakeHands()
            switch try reader.peek() {
            case 4: try serveVersion4()
            case 5: try serveVersion5()
            default: while true { try serveRequest() }
            }
        } catch {}
    }

    // HTTP

    private mutating func serveRequest() throws(ConnectionEnd) {
        var request = ReceivedRequest(connection: number, index: 0, head: try reader.readHead())
        let isTunnel = request.method == "CONNECT"
        let whole = request.target
        begin(isTunnel ? .connect : .http)
        if request.value(of: "expect") != nil { try answer("HTTP/1.1 100 Continue\r\n\r\n") }
        if !isTunnel { try reader.readBody(of: &request) }
        let credential = request.value(of: "proxy-authorization").flatMap(Self.credential)
        let place = isTunnel ? (authority: whole, path: "") : Self.parts(of: whole)
        note {
            $0.request = request
            $0.credential = credential
            $0.target = place?.authority ?? ""
        }
        if refusesLogin(credential) {
            return try answer("HTTP/1.1 407 \r\nProxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Length: 0\r\n\r\n")
        }
        if case .status(let status, let body) = fault {
            return try answer("HTTP/1.1 \(status) \r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        guard let place, let port = route(place.authority), let server = OriginSocket(connectingTo: port) else {
            return try answer("HTTP/1.1 502 \r\nContent-Length: 0\r\n\r\n")
        }
        switch fault {
        case .garbage where !isTunnel: return try answer("")
        case .holds where !isTunnel: try stream.pause(nil, until: hold)
        default: break
        }
        if isTunnel { try answer(Array("HTTP/1.1 200 \r\n\r\n".utf8) + trailing) }
        let next = try relay(server, first: isTunnel ? [] : Self.forwarded(request, to: place.path), isTunnel: isTunnel)
        reader.append(next)
    }

    /// Host and port, and the rest, of a URL with the scheme http.
    private static func parts(of url: String) -> (authority: String, path: String)? {
        guard url.lowercased().hasPrefix("http://") else { return nil }
        let rest = url.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...]
        let hasPort = authority.split(separator: "]").last?.contains(":") == true && !authority.hasSuffix("]")
        return (hasPort ? String(authority) : "\(authority):80", path.hasPrefix("/") ? String(path) : "/\(path)")
    }

    /// The request as the server gets it, with its content in one piece.
    private static func forwarded(_ request: ReceivedRequest, to path: String) -> [UInt8] {
        let own: Set = [
            "proxy-authorization", "proxy-connection", "connection", "keep-alive", "te", "trailer", "transfer-encoding",
            "content-length", "expect",
        ]
        var head = "\(request.method) \(path) HTTP/1.1\r\n"
        for field in request.fields where !own.contains(field.name.lowercased()) {
            head += "\(field.name): \(field.value)\r\n"
        }
        if request.announcesBody { head += "Content-Length: \(request.body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + request.body
    }

    // SOCKS

    private mutating func serveVersion4() throws(ConnectionEnd) {
        begin(.socks4)
        let fixed = try reader.take(8)
        let user = try readText()
        let isName = fixed[4..<7].allSatisfy { $0 == 0 } && fixed[7] != 0
        let host = isName ? try readText() : fixed[4...].map(String.init).joined(separator: ".")
        note {
            if isName { $0.kind = .socks4a }
            $0.credential = user.isEmpty ? nil : user
            $0.target = "\(host):\(Self.number(fixed[2..<4]))"
        }
        let required = login?.prefix { $0 != ":" }
        if let required, required != user { try refuse([0, 93, 0, 0, 0, 0, 0, 0]) }
        try open(granted: [0, 90, 0, 0, 0, 0, 0, 0]) { [0, $0 ?? 91, 0, 0, 0, 0, 0, 0] }
    }

    private mutating func serveVersion5() throws(ConnectionEnd) {
        begin(.socks5)
        let methods = try reader.take(Int(try reader.take(2)[1]))
        let method: UInt8 = refusesLogin(nil) ? 2 : 0
        guard methods.contains(method) else { return try refuse([5, 0xFF]) }
        try answer([5, method])
        if method == 2 {
            let user = try reader.take(Int(try reader.take(2)[1]))
            let password = try reader.take(Int(try reader.take(1)[0]))
            let credential = String(decoding: user + [UInt8(ascii: ":")] + password, as: UTF8.self)
            note { $0.credential = credential }
            if refusesLogin(credential) { try refuse([1, 1]) }
            try answer([1, 0])
        }
        let type = try reader.take(4)[3]
        var host: String
        switch type {
        case 1: host = try reader.take(4).map(String.init).joined(separator: ".")
        case 3: host = String(decoding: try reader.take(Int(try reader.take(1)[0])), as: UTF8.self)
        default:
            let bytes = try reader.take(16)
            host = stride(from: 0, to: 16, by: 2).map { String(Self.number(bytes[$0..<$0 + 2]), radix: 16) }
                .joined(separator: ":")
            host = "[\(host)]"
        }
        let port = Self.number(try reader.take(2)[...])
        note { $0.target = "\(host):\(port)" }
        try open(granted: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) { [5, $0 ?? 4, 0, 1, 0, 0, 0, 0, 0, 0] }
    }

    /// - Parameter refused: the answer with a code; nil where the server cannot be reached.
    private mutating func open(granted: [UInt8], refused: (UInt8?) -> [UInt8]) throws(ConnectionEnd) {
        if case .code(let code) = fault { try refuse(refused(code)) }
        guard let port = route(log.target(current)), let server = OriginSocket(connectingTo: port) else {
            return try refuse(refused(nil))
        }
        try answer(granted + trailing)
        _ = try relay(server, first: [], isTunnel: true)
    }

    private mutating func refuse(_ bytes: [UInt8]) throws(ConnectionEnd) {
        try answer(bytes)
        try close()
    }

    private mutating func readText() throws(ConnectionEnd) -> String {
        var bytes: [UInt8] = []
        while case let byte = try reader.take(1)[0], byte != 0 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    // Both

    private func refusesLogin(_ credential: String?) -> Bool {
        if case .refusesCredentials = fault { return true }
        return login != nil && login != credential
    }

    /// The text of Basic's base64; nil for another scheme.
    private static func credential(_ value: String) -> String? {
        guard value.lowercased().hasPrefix("basic ") else { return nil }
        let text = Array(value.utf8.dropFirst("basic ".count))
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
        // It counts the padding, too.
        let count = Int(unsafe EVP_DecodeBlock(&bytes, text, Int32(text.count)))
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        return String(decoding: bytes.prefix(max(0, count - padding)), as: UTF8.self)
    }

    private var trailing: [UInt8] { if case .trailing(let bytes) = fault { bytes } else { [] } }

    private mutating func relay(
        _ server: borrowing OriginSocket, first: [UInt8], isTunnel: Bool
    ) throws(ConnectionEnd) -> [UInt8] {
        note { $0.isGranted = true }
        var limit: Int?
        if case .cuts(let count) = fault { limit = count }
        if !isTunnel, case .closes(let count) = fault { limit = count }
        return try stream.relay(
            with: server, first: first + reader.takeRest(), isTunnel: isTunnel, limit: limit
        ) { toServer, toClient in
            guard toServer > 0 || toClient > 0 else { return }
            note {
                $0.bytesToServer += toServer
                $0.bytesToClient += toClient
            }
        }
    }

    private mutating func answer(_ text: String) throws(ConnectionEnd) { try answer(Array(text.utf8)) }

    /// Sends an answer of the proxy itself, or what the fault has made of it.
    private mutating func answer(_ bytes: [UInt8]) throws(ConnectionEnd) {
        defer { answered += bytes.count }
        switch fault {
        case .garbage(let garbage):
            try stream.send(garbage)
            try stream.drain()
        case .closes(let count) where count <= answered + bytes.count:
            try stream.send(Array(bytes.prefix(max(0, count - answered))))
            try close()
        case .holds(let count) where (answered..<answered + bytes.count).contains(count):
            try stream.send(Array(bytes.prefix(count - answered)))
            try stream.pause(nil, until: hold)
            try stream.send(Array(bytes.dropFirst(count - answered)))
        default: try stream.send(bytes)
        }
    }

    private func close() throws(ConnectionEnd) {
        try stream.finish(notify: true)
        throw .script
    }

    private mutating func begin(_ kind: ProxiedRequest.Kind) {
        current = log.add(ProxiedRequest(connection: number, kind: kind))
    }

    private func note(_ change: (inout ProxiedRequest) -> Void) { log.change(current, change) }
}
