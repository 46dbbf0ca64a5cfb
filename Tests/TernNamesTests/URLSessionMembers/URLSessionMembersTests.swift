// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The tables of members in the guide "Coming from URLSession", and the list of the members that are the same, against the
/// list of FoundationNetworking's members and against the files beside this one, whose compilation proves them.
@Suite struct URLSessionMembersTests {
    private enum State { case same, differs, absent }

    private struct Row {
        let type: String
        let member: String
        let state: State
        /// What the page says of it, cell by cell.
        var cells: [String] = []

        /// - Parameter name: the type, a dot and the member.
        init(_ name: some StringProtocol, _ state: State, _ cells: [String] = []) {
            type = String(name.prefix { $0 != "." })
            member = String(name.drop { $0 != "." }.dropFirst())
            (self.state, self.cells) = (state, cells)
        }
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private static func rows() throws -> [Row] {
        let path = folder.appending(path: "../../../Sources/Tern/Tern.docc/ComingFromURLSession.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let same = try String(contentsOf: folder.appending(path: "Same.txt"), encoding: .utf8).split(separator: "\n")
        return rows(below: "### Members that differ", of: page, .differs)
            + rows(below: "### Members that are absent", of: page, .absent)
            + same.map { line in Row(line.prefix { $0 != "\t" }, .same) }
    }

    /// A row for each member that the table below a heading names.
    private static func rows(below heading: String, of page: String, _ state: State) -> [Row] {
        let section = page.components(separatedBy: "\n\(heading)\n").last?.components(separatedBy: "\n#")[0] ?? ""
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.hasSuffix(" |") }
        return lines.flatMap { line in
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            let spans = cells[0].components(separatedBy: "`")
            return spans.indices.filter { !$0.isMultiple(of: 2) }
                .map { Row(spans[$0], state, Array(cells.dropFirst())) }
        }
    }

    @Test func `a member that is the same has a word of what FoundationNetworking does, or none`() throws {
        let same = try String(contentsOf: Self.folder.appending(path: "Same.txt"), encoding: .utf8)
        let words = Set(same.split(separator: "\n").compactMap { $0.split(separator: "\t").dropFirst().first })
        #expect(words == ["Darwin", "hangs", "nothing", "traps"])
    }

    /// The text of the functions that use the members of a type.
    private static func uses() throws -> [String: String] {
        var uses: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for function in text.components(separatedBy: "embersOf").dropFirst() {
                let type = String(function.prefix { $0 != "(" })
                uses[type, default: ""] += function.components(separatedBy: "\n}\n")[0] + "\n"
            }
        }
        return uses
    }

    private static func uses(_ member: String, of type: String, in text: String) -> Bool {
        let name = String(member.prefix { $0 != "(" })
        let labels = member.dropFirst(name.count + 1).dropLast().split(separator: ":").filter { $0 != "_" }
        if member == "init()" { return text.contains(" \(type)()") }
        if name.hasSuffix("=") { return text.contains(" \(name.split(separator: ".").last ?? "") ") }
        if member.contains(":"), text.contains(".\(member)") { return true }
        let openings = [".\(name)"] + (name == "init" ? [" \(type)"] : [])
        return openings.contains { opening in
            text.components(separatedBy: opening).dropFirst().contains { rest in
                let next = rest.first ?? " "
                if next.isLetter || next.isNumber { return false }
                guard member.contains(":") else { return !member.hasSuffix(")") || next == "(" || next == " " }
                guard next == "(" else { return false }
                var left = rest.prefix(200)
                return labels.allSatisfy { label in
                    guard let place = left.range(of: "\(label):") else { return false }
                    left = left[place.upperBound...]
                    return true
                }
            }
        }
    }

    @Test func `each member of FoundationNetworking has a row`() throws {
        let list = try String(contentsOf: Self.folder.appending(path: "FoundationNetworking.txt"), encoding: .utf8)
        let rows = try Self.rows()
        let listed = Set(rows.map { "\($0.type).\($0.member)" })
        // The list has names at the top level, too.
        let members = list.split(separator: "\n").map(String.init)
            .filter { $0.contains(".") && !$0.hasPrefix("NSNotification.") }
        #expect(members.count > 500)
        #expect(members.filter { !listed.contains($0) } == [])
    }

    @Test func `each row says what differs, or why it is absent and what to use instead`() throws {
        let rows = try Self.rows()
        for (state, count) in [(State.differs, 100), (.absent, 30)] {
            #expect(rows.count { $0.state == state } > count)
        }
        for row in rows where row.state != .same {
            let count = row.state == .absent ? 2 : 1
            #expect(row.cells.count == count && !row.cells.contains(""), "\(row.type).\(row.member): \(row.cells)")
        }
    }

    @Test func `each member that is not absent is used in a file that is compiled`() throws {
        let uses = try Self.uses()
        for row in try Self.rows() {
            let isUsed = Self.uses(row.member, of: row.type, in: uses[row.type] ?? "")
            #expect(isUsed != (row.state == .absent), "\(row.type).\(row.member): \(row.state)")
        }
    }
}
