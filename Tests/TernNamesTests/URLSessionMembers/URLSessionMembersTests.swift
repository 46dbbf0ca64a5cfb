// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The guide "URLSession member by member", and the list of the members that are the same, against the list of
/// FoundationNetworking's members and against the files beside this one, whose compilation proves them.
@Suite struct URLSessionMembersTests {
    private struct Row {
        let type: String
        let members: [String]
        let state: String

        var isAbsent: Bool { state.hasPrefix("absent") }
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private static func rows() throws -> [Row] {
        let page = folder.appending(path: "../../../Sources/Tern/Tern.docc/URLSessionMemberByMember.md")
        var (rows, type) = ([Row](), "")
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("### ") { type = String(line.dropFirst(4)) }
            guard line.hasPrefix("| `"), line.hasSuffix(" |") else { continue }
            let cells = line.dropLast(2).components(separatedBy: " | ")
            let spans = cells[0].components(separatedBy: "`")
            let members = spans.indices.filter { !$0.isMultiple(of: 2) }.map { spans[$0] }
            rows.append(Row(type: type, members: members, state: cells.dropFirst().joined(separator: " | ")))
        }
        let same = try String(contentsOf: folder.appending(path: "Same.txt"), encoding: .utf8).split(separator: "\n")
        return rows
            + same.map { line in
                let name = line.prefix { $0 != "\t" }
                return Row(
                    type: String(name.prefix { $0 != "." }), members: [String(name.drop { $0 != "." }.dropFirst())],
                    state: "same")
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
        let listed = Set(rows.flatMap { row in row.members.map { "\(row.type).\($0)" } })
        // The list has names at the top level, too.
        let members = list.split(separator: "\n").map(String.init)
            .filter { $0.contains(".") && !$0.hasPrefix("NSNotification.") }
        #expect(members.count > 500)
        #expect(members.filter { !listed.contains($0) } == [])
    }

    @Test func `each row says same, or what differs, or what to use instead`() throws {
        for row in try Self.rows() {
            let says =
                row.state == "same" || row.state.hasPrefix("differs: ")
                || row.isAbsent && row.state.hasPrefix("absent: ") && row.state.contains("; instead ")
            #expect(says, "\(row.type): \(row.members): \(row.state)")
        }
    }

    @Test func `each member that is not absent is used in a file that is compiled`() throws {
        let uses = try Self.uses()
        for row in try Self.rows() {
            for member in row.members {
                let isUsed = Self.uses(member, of: row.type, in: uses[row.type] ?? "")
                #expect(isUsed != row.isAbsent, "\(row.type).\(member): \(row.state)")
            }
        }
    }
}
