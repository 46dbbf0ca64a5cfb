// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

struct DistrustedCertificatesFilesTests {
    private let key = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])
    private static let name: [UInt8] = [0x30, 4, 0x31, 2, 0x30, 0]

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private func error(_ bytes: some Sequence<UInt8>) -> DistrustedCertificatesError? {
        do throws(DistrustedCertificatesError) {
            _ = try DistrustedCertificates(contents: Array(bytes))
            return nil
        } catch { return error }
    }

    @Test func `OneCRL's records are read, and what Mozilla adds is skipped`() throws {
        let json = """
            {"data": [
              {"schema": 1, "details": {"bug": "x", "created": ""}, "enabled": false, "id": "a", "last_modified": 3,
               "issuerName": "\(Self.base64(Self.name))", "serialNumber": "AIA="},
              {"subject": "\(Self.base64(Self.name))", "pubKeyHash": "\(Self.base64(key.sha256))", "last_modified": 4},
              {"pubKeyHash": "\(Self.base64([UInt8](repeating: 9, count: 32)))"}], "metadata": null}
            """
        let other = try #require(X509Certificate.PublicKey(sha256: [UInt8](repeating: 9, count: 32)))
        let expected = DistrustedCertificates([
            .serialNumber([0, 0x80], issuer: Self.name), .subject(Self.name, key), .publicKey(other),
        ])
        for space in ["", "\n\n", "\u{FEFF} "] {
            #expect(try DistrustedCertificates(contents: Array((space + json).utf8)) == expected)
        }
        #expect(try DistrustedCertificates(contents: Array(#"{"data": []}"#.utf8)).isEmpty)
    }

    @Test(arguments: [
        (#"{"data": [{"issuerName": "MAA="}]}"#, "line 1, column 11, data[0].serialNumber: the field is missing"),
        (
            "{\"data\": [\n {\"issuerName\": \"AQI=\", \"serialNumber\": \"AA==\"}]}",
            "line 2, column 17, data[0].issuerName: this is not an X.509 name in DER"
        ),
        (
            #"{"data": [{"issuerName": "MAA=", "serialNumber": ""}]}"#,
            "line 1, column 50, data[0].serialNumber: the list is empty"
        ),
        (
            #"{"data": [{"issuerName": "MAA=", "serialNumber": "A"}]}"#,
            #"line 1, column 50, data[0].serialNumber: "A" is not padded base64"#
        ),
        (
            #"{"data": [{"subject": "MAA=", "pubKeyHash": "AA=="}]}"#,
            "line 1, column 45, data[0].pubKeyHash: the pin has 1 bytes where SHA-256 has 32"
        ),
        (#"{"data": [{"subject": "MAA="}]}"#, "line 1, column 11, data[0].pubKeyHash: the field is missing"),
        (#"{"data": {}}"#, "line 1, column 10, data: an array is expected here, not an object"),
        ("{}", "line 1, column 1, data: the field is missing"), ("", "byte 0: neither OneCRL's JSON nor a CRLSet"),
        ("[]", "byte 0: neither OneCRL's JSON nor a CRLSet"),
    ])
    func `an error in OneCRL's JSON has its line and its field`(_ json: String, _ text: String) {
        #expect(error(json.utf8)?.description == text)
    }

    private static let parent = [UInt8](repeating: 5, count: 32)

    private static func set(_ header: String, _ body: [UInt8] = []) -> [UInt8] {
        let length = header.utf8.count
        return [UInt8(length & 0xff), UInt8(length >> 8)] + Array(header.utf8) + body
    }

    private static func header(_ more: String = "", parents: Int = 1) -> String {
        #"{"Version":0,"ContentType":"CRLSet","Sequence":7,"DeltaFrom":0,"NumParents":\#(parents)\#(more)}"#
    }

    @Test func `a CRLSet is read, with keys, serial numbers without sign, and its end`() throws {
        let body = Self.parent + [2, 0, 0, 0, 1, 0x80, 2, 1, 2]
        let more =
            #","BlockedSPKIs":["\#(Self.base64(key.sha256))"],"KnownInterceptionSPKIs":[1],"NotAfter":1900000000"#
        let set = try DistrustedCertificates(contents: Self.set(Self.header(more), body))
        let issuer = try #require(X509Certificate.PublicKey(sha256: Self.parent))
        let entries: [DistrustedCertificates.Entry] = [
            .publicKey(key), .serialNumberUnderKey([0, 0x80], issuer), .serialNumberUnderKey([1, 2], issuer),
        ]
        #expect(set == DistrustedCertificates(entries, validUntil: 1_900_000_000))
        // The first byte of the length may be a bracket or a blank, and the second one, too.
        for length in [0x7b, 0x20, 0x0a, 0x227b, 0x2020, 0x207b] where length > 80 {
            let header = Self.header(#","x":"""#)
            let padded = Self.header(#","x":"\#(String(repeating: "x", count: length - header.utf8.count))""#)
            #expect(try DistrustedCertificates(contents: Self.set(padded, body)).count == 2, "\(length)")
        }
    }

    @Test func `each cut of a CRLSet is an error with its place, and so are more bytes`() throws {
        let header = Self.header()
        let whole = Self.set(header, Self.parent + [2, 0, 0, 0, 1, 7, 2, 1, 2])
        #expect(error(whole) == nil)
        for count in 0..<whole.count {
            let found = try #require(error(whole.prefix(count)), "\(count)")
            #expect(found.offset.map { $0 <= count } == true)
            if count > 3 { #expect(found.reason == .truncated) }
        }
        let told = "byte \(whole.count): the CRLSet has more bytes than its header says"
        #expect(error(whole + [0])?.description == told)
        let empty = Self.set(header, Self.parent + [1, 0, 0, 0, 0])
        #expect(error(empty)?.reason == .emptySerialNumber)
        let huge = Self.set(header, Self.parent + [0xff, 0xff, 0xff, 0xff])
        #expect(error(huge)?.reason == .truncated)
        #expect(error(Self.set(Self.header(parents: 4_000_000_000)))?.reason == .truncated)
    }

    @Test(arguments: [
        (
            #"{"ContentType":"CRLSetDelta","NumParents":0}"#,
            #"line 1, column 16, ContentType: "CRLSetDelta" is none of "CRLSet""#
        ),
        (#"{"ContentType":"CRLSet","DeltaFrom":3,"NumParents":0}"#, "DeltaFrom: 3 is not a whole number from 0 to 0"),
        (#"{"ContentType":"CRLSet"}"#, "NumParents: the field is missing"),
        (#"{"ContentType":"CRLSet","NumParents":0,"NotAfter":-1}"#, "NotAfter: -1 is not"),
        (#"{"ContentType":"CRLSet","NumParents":0,"BlockedSPKIs":["AA=="]}"#, "BlockedSPKIs[0]: the pin has 1 bytes"),
        (#"{"ContentType":}"#, "not valid JSON"),
    ])
    func `an error in a header has its field`(_ header: String, _ text: String) {
        let told = error(Self.set(header))?.description
        #expect(told?.contains(text) == true, "\(told ?? "read")")
    }

    @Test func `a long list is read as a short one`() throws {
        let numbers = (0..<20_000).flatMap { number -> [UInt8] in
            [4, 1, UInt8(number >> 8), UInt8(number & 0xff), 1]
        }
        let set = try DistrustedCertificates(
            contents: Self.set(Self.header(), Self.parent + [0x20, 0x4e, 0, 0] + numbers))
        #expect(set.count == 20_000)
        let certificate = try X509Certificate(pem: CertificateAuthority().certificatePEM)
        #expect(set.reason(for: certificate, issuedBy: certificate) == nil)
    }

    @Test func `a file that is missing is told with its path`() {
        let file = URL(filePath: "/nowhere/list.json")
        let error = #expect(throws: DistrustedCertificatesError.self) {
            try DistrustedCertificates(contentsOf: file)
        }
        #expect(error?.description.contains("cannot read /nowhere/list.json") == true)
    }
}
