// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernIO
final class CacheFolder: Sendable {
    init(path: String, capacity: Int64) throws(URLCacheError) { throw .notACache(path: path) }
    var capacity: Int64 { get { 0 } set { } }
    var maximumContentLength: Int64 { 0 }
    var usage: Int64 { 0 }
    func responses(for url: String) -> [StoredResponse] { [] }
    func content(of response: StoredResponse) -> CacheFile? { nil }
    func makeContent() throws(SystemCallError) -> CacheFileWriter { CacheFileWriter() }
    func store(_ response: StoredResponse, _ content: CacheFileWriter) throws(SystemCallError) {}
    func update(_ response: StoredResponse) throws(SystemCallError) {}
    func remove(_ response: StoredResponse) {}
    func removeAll(for url: String) {}
    func removeAll(since seconds: Int64?) {}
    func touch(_ url: String) {}
}
final class CacheFileWriter: Sendable {
    func write(_ bytes: Span<UInt8>) throws(SystemCallError) {}
    func readAll() throws -> [UInt8] { [] }
}
final class CacheFile: Sendable {
    var length: Int64 { 0 }
    func read(into: UnsafeMutableRawBufferPointer, at: Int64) throws(SystemCallError) -> Int { 0 }
    func readAll() throws -> [UInt8] { [] }
}
public enum URLCacheError: Error, Sendable, Hashable { case notACache(path: String) }
