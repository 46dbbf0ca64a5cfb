// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// What a client is to do.
struct Load: Codable, Sendable {
    var url: String
    /// The PEM file of the authority that the server's certificate is verified against.
    var authority: String
    /// How many requests are in flight at any time, each on a connection of its own.
    var connections: Int
    /// The size of every body, in bytes; anything else counts as an error.
    var bodySize: Int
    var warmUpSeconds: Double
    var seconds: Double
    /// What kind of handshakes the connections are to make.
    var handshakes = Handshakes.any
    /// The pin that the server's chain must match, for clients that can pin; nil pins nothing.
    var pin: String?

    /// What is sent, with POST; nil for a GET.
    var upload: Upload?
    /// The file that a body becomes, each replacing the one before; nil for none.
    var download: String?
    /// Whether bodies are streams of server-sent events, each of which says when it was sent. `bodySize` says how many
    /// then.
    var followsEvents = false
    /// What is sent over WebSockets, each answered by a message of `bodySize`; nil for requests.
    var messages: Messages?
    /// Whether a coded body is asked for and decoded; nil leaves it to the client.
    var decodesContent: Bool?
    /// The coding of the body; nil for none.
    var coding: ContentCoding?
    /// Whether bodies are to be had whole at the end, however large.
    var collects = false
    /// A body, or a message, of two bytes, fetched before memory is looked at: what a client has once it is used, code and contexts,
    /// is not what a transfer takes. Nil for nothing.
    var greeting: String?
    /// The size of libcurl's receive buffer, in bytes; nil for the largest where bodies are large, and else for its
    /// default.
    var curlReceiveBuffer: Int?

    /// The one for the greeting; nil for none.
    var greetingLoad: Load? {
        greeting.map {
            var load = Load(
                url: $0, authority: authority, connections: connections, bodySize: Scenario.Body.small.size,
                warmUpSeconds: 0, seconds: 0)
            load.messages = messages
            return load
        }
    }

    /// Whether it pays to prepare for a body that comes in many reads.
    var isLarge: Bool { bodySize > 1 << 20 }
}

/// What a client is to send.
struct Upload: Codable, Sendable {
    /// In bytes.
    var size: Int
    /// The file that holds as much; nil sends from memory.
    var path: String?
    /// Whether the file is sent as a part of a form.
    var isForm = false
}

/// How a client has the server of WebSockets send a message.
enum Messages: String, Codable, Sendable {
    /// By a text, which says how many bytes it is to have.
    case asked
    /// By sending it: it comes back.
    case echoed

    /// What is sent for a message of `size` bytes.
    func message(for size: Int) -> [UInt8] {
        switch self {
        case .asked: Array(String(size).utf8)
        case .echoed: [UInt8](repeating: 0x54, count: size)
        }
    }

    /// Whether texts are sent, rather than bytes.
    var areTexts: Bool { self == .asked }
}

/// The content of every form in addition to its file.
enum UploadForm {
    static let textName = UPLOAD_FORM_TEXT_NAME
    static let text = UPLOAD_FORM_TEXT
    static let fileName = UPLOAD_FORM_FILE_NAME
}
