// SPDX-License-Identifier: Apache-2.0

/// A response in many small chunks (RFC 9112 §7.1).
enum ChunkedBody {
    static let count = 100_000
    /// In bytes.
    static let chunkSize = 64
    static let size = count * chunkSize

    /// From the first byte of its head to its last chunk.
    static let response: [UInt8] = {
        let chunk = Array((String(chunkSize, radix: 16) + "\r\n").utf8) + [UInt8](repeating: 0x54, count: chunkSize)
        var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        bytes.reserveCapacity(bytes.count + (chunk.count + 2) * count + 5)
        for _ in 0..<count { bytes += chunk + [0x0D, 0x0A] }
        return bytes + Array("0\r\n\r\n".utf8)
    }()
}
