// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern
import TernEngine

extension Tern.URLRequest {
    /// What cannot be sent is wrong usage, and is said before anything is asked for.
    func checkEncodable(_ configuration: SessionConfiguration) throws {
        do throws(InvalidRequest) {
            _ = try encodedHead(configuration)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
