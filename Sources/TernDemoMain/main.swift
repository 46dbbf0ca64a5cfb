// SPDX-License-Identifier: Apache-2.0
import TernLibC
import TernDemo

do {
    guard try await Demo(duration: .seconds(2), print: { print($0) }).run() else { exit(1) }
} catch {
    print(error)
    exit(1)
}
