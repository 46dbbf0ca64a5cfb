// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct WriteOutTests {
    @Test func `a format is read as curl reads it`() throws {
        #expect(
            WriteOut(#"a\n\t%%%{http_code}%header{X-Y}%{json}%{stderr}\q%x%{onerror}%"#).pieces == [
                .text("a\n\t%"), .variable(.httpCode), .field("X-Y"), .json, .destination(2), .text(#"\q%x"#), .onError,
                .text("%"),
            ])
        #expect(WriteOut("").pieces.isEmpty)
    }

    @Test(
        "a variable that does not exist is kept as such, and what has no end is text",
        arguments: [
            ("%{nope}", .unknown("nope")), ("%{}", .unknown("")), ("%{url.nope}", .unknown("url.nope")),
            ("%{", .text("%{")),
            ("%{http_code", .text("%{http_code")), ("%header{x", .text("%header{x")),
            ("%{urle.host}", .urlPart(.host, isEffective: true)),
            ("%{url.query}", .urlPart(.query, isEffective: false)),
            ("%{header_json}", .fields), ("%output{a b}", .file("a b", isAppended: false)),
            ("%output{>>x}", .file("x", isAppended: true)), ("%output{x", .text("%output{x")),
        ] as [(String, WriteOut.Piece)])
    func corner(format: String, piece: WriteOut.Piece) {
        #expect(WriteOut(format).pieces == [piece])
    }

    @Test func `every variable of curl has a name here`() {
        // Of curl 7.88, and those of later versions up to 8.12 that a client without a multiplexed protocol has.
        let names = """
            certs content_type errormsg exitcode filename_effective ftp_entry_path http_code http_connect http_version \
            local_ip local_port method num_certs num_connects num_headers num_redirects proxy_ssl_verify_result \
            redirect_url referer remote_ip remote_port response_code scheme size_download size_header size_request \
            size_upload speed_download speed_upload ssl_verify_result time_appconnect time_connect time_namelookup \
            time_pretransfer time_redirect time_starttransfer time_total url url_effective urlnum header_json json \
            onerror stdout stderr num_retries proxy_used time_posttransfer time_queue tls_earlydata xfer_id
            """
        for name in names.split(separator: " ") {
            #expect(WriteOut("%{\(name)}").pieces != [.unknown(String(name))], "\(name)")
        }
    }

    @Test func `a file holds a format, and its line ends do not count`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("%{url}\r\na\nb\0\n", to: "format")
        #expect(try WriteOut(argument: "@" + file).pieces == [.variable(.url), .text("ab")])
        #expect(throws: CommandFailure.self) { try WriteOut(argument: "@/nowhere/format") }
    }
}

@Suite struct WriteOutValueTests {
    @Test(arguments: [
        (WriteOutValue.status(7), "7"), (.number(-1), "-1"), (.text(nil), "null"), (.text("a\"b"), #""a\"b""#),
        (.bytes(nil), "null"), (.bytes([0x61, 0xE9, 0xC3, 0xA9]), "\"a\u{FFFD}é\""),
        (.seconds(0.5), "0.5"),
    ])
    func `JSON has numbers as numbers, and no text as null`(value: WriteOutValue, json: String) throws {
        #expect(try JSONReport.text(value) == json)
    }

    @Test(arguments: [
        (WriteOutValue.status(7), "007"), (.seconds(0.25), "0.250000"), (.text(nil), ""), (.text("é"), "é"),
        (.number(-1), "-1"), (.bytes(nil), ""),
    ])
    func `a value is written as curl writes it`(value: WriteOutValue, text: String) {
        #expect(value.bytes == Array(text.utf8))
    }

    @Test func `bytes are written as they are`() {
        #expect(WriteOutValue.bytes(Array(0x80...0xFF)).bytes == Array(0x80...0xFF))
    }
}
