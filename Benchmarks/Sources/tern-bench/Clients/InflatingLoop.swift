// SPDX-License-Identifier: Apache-2.0

internal import CCoding
internal import CCurlMulti
internal import Foundation

/// zlib on its own: decodes the file that the load's URL names, from memory, over and over.
struct InflatingLoop: BenchmarkClient {
    private let load: Load
    private let coded: [UInt8]

    init(_ load: Load) throws {
        self.load = load
        guard let url = URL(string: load.url) else { throw PeerUnavailable(reason: "no URL: \(load.url)") }
        coded = [UInt8](try Data(contentsOf: url))
    }

    func run(until deadline: UInt64) async -> Tally {
        var tally = Tally()
        var now = monotonic_nanoseconds()
        repeat {
            let begin = now
            let size = unsafe coded.withUnsafeBufferPointer { unsafe gzip_inflate($0.baseAddress, $0.count) }
            now = monotonic_nanoseconds()
            tally.record(status: 200, size: Int(size), of: load, from: begin, to: now)
        } while tally.goesOn(at: now, until: deadline)
        return tally
    }
}
