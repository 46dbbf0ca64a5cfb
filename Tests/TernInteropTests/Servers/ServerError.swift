// SPDX-License-Identifier: Apache-2.0

/// Why a real server is not there for a test. A test fails with it; it never skips.
enum ServerError: Error, CustomStringConvertible {
    case notInstalled(program: String, package: String)
    case noFreePort(errno: Int32)
    case ended(program: String, output: [String])
    case silent(program: String, output: [String])

    var description: String {
        switch self {
        case .notInstalled(let program, let package): "\(program) is not installed: apt-get install \(package)"
        case .noFreePort(let errno): "no free loopback port: errno \(errno)"
        case .ended(let program, let output): "\(program) ended:\n" + output.joined(separator: "\n")
        case .silent(let program, let output): "\(program) accepts no connection:\n" + output.joined(separator: "\n")
        }
    }
}
