// SPDX-License-Identifier: Apache-2.0

/// The framing field of a request (RFC 9112 §6.3), which the encoder writes.
enum RequestFraming {
    case none
    case contentLength(Int)
    case chunked

    /// The facts about the caller's fields that the encoder needs before it writes.
    struct Plan {
        private(set) var host: String?
        private let method: RequestMethod
        private let body: RequestBodyFraming
        /// The caller's own `Content-Length: 0`, which agrees with the absence of a body.
        private var announcesNothing = false

        init(_ method: RequestMethod, _ body: RequestBodyFraming) {
            self.method = method
            self.body = body
        }

        /// Returns the length of the field's line in bytes.
        @inline(__always)
        mutating func add(_ field: HeaderField) throws(HTTPProtocolError) -> Int {
            if RequestField.isEncoders(field.name) {
                try apply(field)
                return 0
            }
            return field.name.utf8.count &+ field.content.count &+ 4
        }

        /// A `Host` of the caller takes precedence over the origin's. A framing field of the caller is ignored if it
        /// agrees with the body, and refused otherwise.
        private mutating func apply(_ field: HeaderField) throws(HTTPProtocolError) {
            if field.name.isFieldName("Host") {
                guard host == nil, Authority.isValid(field.value.utf8.span) else {
                    throw HTTPProtocolError(.request(.host), in: field.value)
                }
                host = field.value
                return
            }
            let isLength = field.name.isFieldName("Content-Length")
            switch body {
            case .none where isLength && field.value == "0": announcesNothing = true
            case .exactly(let length) where isLength && field.value == String(length): return
            case .chunked where !isLength && field.value.isFieldName("chunked"): return
            case .none, .exactly, .chunked: throw HTTPProtocolError(.request(.framingField), in: field.name)
            }
        }

        func framing() throws(HTTPProtocolError) -> RequestFraming {
            switch (body, method) {
            case (.exactly(let length), _) where length < 0: throw HTTPProtocolError(.request(.negativeLength))
            case (.exactly(1...), .connect), (.exactly(1...), .trace), (.chunked, .connect), (.chunked, .trace):
                throw HTTPProtocolError(.request(.contentForbidden))
            case (.exactly(let length), _): return .contentLength(length)
            case (.chunked, _): return .chunked
            case (.none, .usuallyWithContent): return .contentLength(0)
            case (.none, _): return announcesNothing ? .contentLength(0) : .none
            }
        }
    }

    /// The number of bytes that ``write(into:at:)`` writes.
    var length: Int {
        switch self {
        case .none: 0
        case .contentLength(let length): 16 &+ Decimal.digits(length) &+ 2
        case .chunked: 28
        }
    }

    func write(into bytes: inout MutableSpan<UInt8>, at start: Int) -> Int {
        switch self {
        case .none: start
        case .contentLength(let length):
            bytes.writeLineEnd(at: bytes.write(decimal: length, at: bytes.write("Content-Length: ", at: start)))
        case .chunked: bytes.write("Transfer-Encoding: chunked\r\n", at: start)
        }
    }
}

/// The methods that change how a message is framed or addressed. Case-sensitive (RFC 9110 §9.1).
enum RequestMethod {
    case head
    case connect
    case options
    case trace
    /// POST, PUT, PATCH: a server expects content with them (RFC 9110 §8.6).
    case usuallyWithContent
    case other

    init(_ name: String) {
        switch name {
        case "GET": self = .other
        case "HEAD": self = .head
        case "CONNECT": self = .connect
        case "OPTIONS": self = .options
        case "TRACE": self = .trace
        case "POST", "PUT", "PATCH": self = .usuallyWithContent
        case _: self = .other
        }
    }
}
