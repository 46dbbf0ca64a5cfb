// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct SignedCertificateTimestampTests {
    private let log: TransparencyTestLog
    private let timestamp: [UInt8]

    init() throws {
        log = try TransparencyTestLog("a", operatorName: "One")
        timestamp = try log.timestamp(of: .certificate([1, 2, 3]), at: 1_700_000_000, extensions: [7, 8])
    }

    @Test func `a timestamp is read to the last field`() throws {
        let read = try SignedCertificateTimestamp(timestamp[...])
        #expect(read.logID == log.id)
        #expect(read.milliseconds == 1_700_000_000_000 && read.seconds == 1_700_000_000)
        #expect(read.extensions == [7, 8])
        #expect(read.hash == 4 && read.algorithm == 3)
        #expect(read.signature.first == 0x30)
    }

    @Test func `a timestamp that is cut at any byte is malformed, and so is one with a byte more`() {
        for count in 0..<timestamp.count {
            #expect(throws: SignedCertificateTimestamp.Failure.malformed) {
                try SignedCertificateTimestamp(timestamp.prefix(count))
            }
        }
        #expect(throws: SignedCertificateTimestamp.Failure.malformed) {
            try SignedCertificateTimestamp((timestamp + [0])[...])
        }
    }

    @Test func `another version is named, whatever follows`() {
        for bytes in [[1], [255, 0, 0], [2] + timestamp.dropFirst()] as [[UInt8]] {
            #expect(throws: SignedCertificateTimestamp.Failure.unknownVersion(bytes[0])) {
                try SignedCertificateTimestamp(bytes[...])
            }
        }
    }

    @Test func `a list that is cut at any byte is none, and so is one with a byte more`() throws {
        let list = TransparencyTestLog.list([timestamp, timestamp])
        #expect(SignedCertificateTimestamp.list(list)?.map(Array.init) == [timestamp, timestamp])
        for count in 0..<list.count { #expect(SignedCertificateTimestamp.list(Array(list.prefix(count))) == nil) }
        #expect(SignedCertificateTimestamp.list(list + [0]) == nil)
    }

    @Test(arguments: [[], [0], [0, 0], [0, 2, 0, 0], [0, 1, 0], [0, 3, 0, 2, 1], [0xff, 0xff]] as [[UInt8]])
    func `an empty list, an empty timestamp and lengths without their bytes are no list`(bytes: [UInt8]) {
        #expect(SignedCertificateTimestamp.list(bytes) == nil)
    }
}
