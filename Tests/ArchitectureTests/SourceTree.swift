// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Everything below `Sources`, and which file knows which. A file knows another of its module when it names a type that
/// is declared there.
struct SourceTree {
    let files: [SourceFile]
    /// The paths of the files that a file knows, and one of the names it uses of each.
    let acquaintances: [String: [String: String]]

    /// The project this file belongs to.
    static let project = SourceTree(
        root: URL(fileURLWithPath: #filePath).appending(path: "../../../Sources").standardizedFileURL)

    private init(root: URL) {
        let paths = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).sorted()
        self.init(
            files: paths.filter { $0.hasSuffix(".swift") }.map { path in
                let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
                return SourceFile(path: path, text: text ?? "")
            })
    }

    init(files: [SourceFile]) {
        self.files = files
        var homes: [String: [String: String]] = [:]
        for file in files {
            for name in file.declares { homes[file.module, default: [:]][name] = file.path }
        }
        acquaintances = Dictionary(
            uniqueKeysWithValues: files.map { file in
                let known = file.names.sorted().compactMap { name in
                    homes[file.module]?[name].map { ($0, name) }
                }
                return (file.path, Dictionary(known.filter { $0.0 != file.path }) { first, _ in first })
            })
    }

    /// Such as `Pool > Dialling`, and why.
    func arrows(in module: String) -> [Arrow: String] {
        let folders = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.folder) })
        var arrows: [Arrow: String] = [:]
        for file in files where file.module == module {
            for (path, name) in acquaintances[file.path] ?? [:] {
                guard let from = file.folder, let to = folders[path] ?? nil, from != to else { continue }
                arrows[Arrow(from: from, to: to)] = "\(file.path) names \(name)"
            }
        }
        return arrows
    }

    struct Arrow: Hashable {
        let from: String
        let to: String
    }

    /// The files of a module that know one another in a circle, each with all the others.
    func knots(in module: String) -> [[String]] {
        let paths = files.filter { $0.module == module }.map(\.path)
        let reach = Dictionary(uniqueKeysWithValues: paths.map { ($0, reached(from: $0)) })
        var knots = Set<[String]>()
        for path in paths where reach[path]?.contains(path) == true {
            knots.insert(paths.filter { reach[path]?.contains($0) == true && reach[$0]?.contains(path) == true })
        }
        return Array(knots)
    }

    private func reached(from path: String) -> Set<String> {
        var (reached, left) = (Set<String>(), [path])
        while let next = left.popLast() {
            for other in (acquaintances[next] ?? [:]).keys where reached.insert(other).inserted { left.append(other) }
        }
        return reached
    }
}
