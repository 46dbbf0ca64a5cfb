// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import TernEngine

extension Session {
    /// Why a download to `target` fails; nil if it does not.
    func failure(
        _ origin: FileOrigin, to target: URL, _ settings: DownloadSettings = DownloadSettings()
    ) async throws -> SessionError? {
        let request = try origin.request()
        do throws(SessionError) {
            _ = try await download(for: request, to: target, settings: settings)
            return nil
        } catch {
            return error
        }
    }
}
