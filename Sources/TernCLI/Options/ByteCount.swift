// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A number of bytes, such as 4096, 64K or 2G.
struct ByteCount: ExpressibleByArgument, Equatable {
    let bytes: Int

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let factor: Int
        switch argument.dropFirst(digits.count).uppercased() {
        case "": factor = 1
        case "K": factor = 1 << 10
        case "M": factor = 1 << 20
        case "G": factor = 1 << 30
        default: return nil
        }
        guard let number = Int(digits) else { return nil }
        let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: factor)
        if isTooMuch { return nil }
        self.bytes = bytes
    }
}
