// SPDX-License-Identifier: Apache-2.0

internal import CCoding
internal import CCurlMulti
internal import Foundation

/// The library of a coding on its own: decodes the file that the load's URL names, from memory, over and over.
struct DecodingLoop: BenchmarkClient {
    private let load: Load
    private let coding: ContentCoding
    private let coded: [UInt8]

    init(_ load: Load) throws {
        guard let url = URL(string: load.url), let coding = load.coding else {
            throw PeerUnavailable(reason: "nothing coded: \(load.url)")
        }
        (self.load, self.coding) = (load, coding)
        coded = [UInt8](try Data(contentsOf: url))
    }

    func run(until deadline: UInt64) async -> Tally {
        var tally = Tally()
        var now = monotonic_nanoseconds()
        repeat {
            let begin = now
            let size = unsafe coded.withUnsafeBufferPointer {
                unsafe coding_decode(coding.library, $0.baseAddress, $0.count)
            }
            now = monotonic_nanoseconds()
            tally.record(status: 200, size: Int(size), of: load, from: begin, to: now)
        } while tally.goesOn(at: now, until: deadline)
        return tally
    }
}
