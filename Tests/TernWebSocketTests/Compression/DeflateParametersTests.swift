// SPDX-License-Identifier: Apache-2.0
import TernEngine
import Testing

@testable import TernWebSocket

/// What a server may answer to an offer of permessage-deflate (RFC 7692 §7.1).
@Suite struct DeflateParametersTests {
    private func read(_ fields: [String], _ offer: WebSocketCompression? = .init()) throws -> DeflateParameters? {
        try DeflateParameters(fields, offer: offer)
    }

    @Test func `no extension is none`() throws {
        #expect(try read([]) == nil)
        #expect(try read([], nil) == nil)
        #expect(try read([" , "], nil) == nil)
    }

    @Test(
        arguments: [
            ("permessage-deflate", false, false, 15),
            ("Permessage-Deflate ; server_no_context_takeover", false, true, 15),
            ("permessage-deflate;client_no_context_takeover;client_max_window_bits=9", true, false, 9),
            ("permessage-deflate; client_max_window_bits=\"10\"", false, false, 10),
            ("permessage-deflate; server_max_window_bits=8", false, false, 15),
            ("permessage-deflate; client_max_window_bits=8", false, false, 8),
        ])
    func `an answer within the offer is taken`(field: String, client: Bool, server: Bool, bits: Int) throws {
        let parameters = try #require(try read([field]))
        #expect(parameters.clientForgetsContext == client)
        #expect(parameters.serverForgetsContext == server)
        #expect(parameters.clientWindowBits == bits)
    }

    @Test(
        arguments: [
            "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_max_window_bits",
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=08",
            "permessage-deflate; client_max_window_bits=+9", "permessage-deflate; client_max_window_bits=",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "permessage-deflate;",
            "permessage-deflate; client_max_window_bits=\"9", "foo; permessage-deflate",
        ])
    func `any other answer opens no WebSocket`(field: String) {
        #expect(throws: WebSocketHandshakeViolation.extensions) { try read([field]) }
        #expect(throws: WebSocketHandshakeViolation.extensions) { try read([field], nil) }
    }

    @Test func `what was demanded must be there`() {
        var offer = WebSocketCompression()
        offer.serverForgetsContext = true
        #expect(throws: WebSocketHandshakeViolation.extensions) { try read(["permessage-deflate"], offer) }
        offer = WebSocketCompression()
        offer.maximumServerWindowBits = 10
        #expect(offer.offer.hasSuffix("; server_max_window_bits=10"))
        #expect(throws: WebSocketHandshakeViolation.extensions) { try read(["permessage-deflate"], offer) }
        #expect(throws: WebSocketHandshakeViolation.extensions) {
            try read(["permessage-deflate; server_max_window_bits=11"], offer)
        }
        #expect(throws: Never.self) { try read(["permessage-deflate; server_max_window_bits=9"], offer) }
    }

    @Test func `two fields are one list`() {
        #expect(throws: WebSocketHandshakeViolation.extensions) {
            try read(["permessage-deflate", "permessage-deflate"])
        }
    }
}
