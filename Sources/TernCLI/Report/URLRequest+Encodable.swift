// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern
import TernEngine

extension Tern.URLRequest {
    /// Input that cannot be sent is wrong usage, and is reported before any request.
    func checkEncodable(_ configuration: SessionConfiguration) throws {
        do throws(InvalidRequest) {
            _ = try encodedHead(configuration)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
