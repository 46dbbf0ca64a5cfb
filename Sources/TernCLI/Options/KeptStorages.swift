// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// What is kept beyond one run of the command: the hosts of `--hsts`, and the responses of `--cache`; one storage for each
/// file and folder, however many options name it.
///
/// A cache is there to spare requests, and makes none fail: of a folder that cannot be opened, and of responses that
/// cannot be written, the command tells.
final class KeptStorages {
    /// In bytes, also of a pipe.
    private static let maximumHostsLength = 16 << 20
    /// How long the command waits, after the last response, for what its cache has begun: confirmations of stale responses
    /// that have been the answer.
    private static let maximumWait = Duration.seconds(10)

    private var hosts: [String: HSTSStorage] = [:]
    private var caches: [String: URLCache] = [:]

    /// The file of `--hsts`.
    ///
    /// - Parameter isSilent: whether lines of the file that are left out are not told.
    func hosts(in path: String, isSilent: Bool) throws -> HSTSStorage {
        if let known = hosts[path] { return known }
        let storage = try Self.storage(path, isSilent: isSilent)
        hosts[path] = storage
        return storage
    }

    private static func storage(_ path: String, isSilent: Bool) throws -> HSTSStorage {
        if path.isEmpty { return HSTSStorage() }
        // A device or a pipe is read, and not written.
        if FileStatus(of: path)?.kind == .other {
            let text = try InputFile.read(path, for: "--hsts", limit: maximumHostsLength)
            return HSTSStorage(text: [UInt8](text))
        }
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

    /// The folder of `--cache`.
    ///
    /// - Throws: a failure if the path is that of something else than a cache's folder.
    func cache(in folder: String) throws -> URLCache {
        if let known = caches[folder] { return known }
        let cache = try Self.cache(folder)
        caches[folder] = cache
        return cache
    }

    private static func cache(_ path: String) throws -> URLCache {
        do throws(URLCacheError) {
            return try URLCache(folder: URL(filePath: path))
        } catch {
            switch error {
            case .notACache, .notAFolder: throw CommandFailure(.unwritable, "--cache: \(error)")
            case .cannotOpen, .unsupportedVersion, .exposed, .foreign: return URLCache(without: error)
            }
        }
    }

    /// Waits for what the caches have begun, and writes the hosts. Blocks.
    ///
    /// - Parameter isSilent: whether it is not told why a cache could not store responses.
    func save(isSilent: Bool) throws {
        for (_, cache) in caches.sorted(by: { $0.key < $1.key }) {
            cache.finishValidations(within: Self.maximumWait)
            cache.flush()
            if let error = cache.diskError, !isSilent {
                StandardStreams.tell("tern: warning: --cache: not all responses were stored: \(error)")
            }
        }
        for (_, storage) in hosts.sorted(by: { $0.key < $1.key }) {
            do throws(HSTSFileError) {
                try storage.saveAlways()
            } catch {
                throw CommandFailure(.unwritable, "--hsts: \(error)")
            }
        }
    }
}
