// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// What is kept beyond one run of the command: the hosts of `--hsts`, and the responses of `--cache`.
///
/// A cache is there to spare requests, and makes none fail: of a folder that cannot be opened, and of responses that
/// cannot be written, the command tells.
enum KeptStorage {
    /// In bytes, also of a pipe.
    private static let maximumHostsLength = 16 << 20
    /// How long the command waits, after the last response, for what its cache has begun: confirmations of stale responses
    /// that have been the answer.
    private static let maximumWait = Duration.seconds(10)

    /// - Parameter isSilent: whether lines of the file that are left out are not told.
    static func hosts(_ path: String, isSilent: Bool) throws -> HSTSStorage {
        if path.isEmpty { return HSTSStorage() }
        // A device or a pipe is read, and not written.
        if FileStatus(of: path)?.kind == .other { return HSTSStorage(text: try text(of: path)) }
        let storage: HSTSStorage
        do throws(HSTSFileError) {
            storage = try HSTSStorage(file: URL(filePath: path))
        } catch {
            throw CommandFailure(.unreadable, "--hsts: \(error)")
        }
        if storage.skippedLineCount > 0, !isSilent {
            let subject = storage.skippedLineCount == 1 ? "a line" : "\(storage.skippedLineCount) lines"
            let place = storage.skippedLineCount == 1 ? "" : "the first is "
            StandardStreams.tell(
                "tern: --hsts: \(subject) of \(path) skipped: no host (\(place)line \(storage.firstSkippedLine))")
        }
        return storage
    }

    private static func text(of path: String) throws -> [UInt8] {
        let input = InputDescriptor()
        var bytes: [UInt8] = []
        do throws(InputError) {
            while let piece = try input.piece(of: path, 1 << 16), bytes.count <= maximumHostsLength { bytes += piece }
        } catch {
            throw CommandFailure(.unreadable, "--hsts: \(error)")
        }
        guard bytes.count <= maximumHostsLength else {
            throw CommandFailure(.unreadable, "--hsts: \(path) is longer than 16 MB")
        }
        return bytes
    }

    /// - Throws: a failure if the path is that of something else than a cache's folder.
    static func cache(_ path: String) throws -> URLCache {
        do throws(URLCacheError) {
            return try URLCache(folder: URL(filePath: path))
        } catch {
            switch error {
            case .notACache, .notAFolder: throw CommandFailure(.unwritable, "--cache: \(error)")
            case .cannotOpen, .unsupportedVersion, .exposed, .foreign: return URLCache(without: error)
            }
        }
    }

    /// Waits for what the cache has begun, and writes the hosts. Blocks.
    ///
    /// - Parameter isSilent: whether it is not told why the cache could not store responses.
    static func save(_ hosts: HSTSStorage?, _ cache: URLCache?, isSilent: Bool) throws {
        if let cache {
            cache.finishValidations(within: maximumWait)
            cache.flush()
            if let error = cache.diskError, !isSilent {
                StandardStreams.tell("tern: warning: --cache: not all responses were stored: \(error)")
            }
        }
        do throws(HSTSFileError) {
            try hosts?.saveAlways()
        } catch {
            throw CommandFailure(.unwritable, "--hsts: \(error)")
        }
    }
}
