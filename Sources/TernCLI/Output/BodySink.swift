// SPDX-License-Identifier: Apache-2.0
// Safety: the path is lent to one system call, which copies it.
import Foundation
import Glibc

/// Takes a body, piece by piece, to where it is to go.
///
/// Used by one thread at a time.
final class BodySink {
    private enum Place {
        /// Exits: written through, draft.
        case unopened
        case writtenThrough(Int32)
        case draft(DraftFile)
    }

    /// A body that would steer the terminal instead of being read on it.
    struct SteeringBody: ReportedFailure, CustomStringConvertible {
        var exitStatus: ExitStatus { .unwritable }

        let byte: UInt8

        var description: String {
            "the body holds a control character (byte 0x\(String(byte, radix: 16, uppercase: true))), which can mess up your "
                + "terminal: -o FILE saves it, -o - shows it all the same"
        }
    }

    private let path: String?
    private let target: OutputTarget
    private var place = Place.unopened
    private var terminal: TerminalBytes?

    /// - Parameter path: nil is standard output.
    init(path: String?) throws(OutputError) {
        self.path = path
        if let path {
            target = try OutputTarget(path: path)
        } else {
            target = .standardOutput
            if isatty(STDOUT_FILENO) == 1 { terminal = TerminalBytes() }
        }
    }

    /// Whether what is written cannot be taken back.
    var isWrittenThrough: Bool {
        if case .file = target { false } else { true }
    }

    /// Gets ready to write; waits for a reader if it is a FIFO.
    ///
    /// - Returns: what must not be left behind.
    func open() throws(OutputError) -> UnfinishedFile? {
        switch target {
        case .standardOutput: place = .writtenThrough(STDOUT_FILENO)
        case .descriptor(let number): place = .writtenThrough(number)
        case .device, .file: return try openAnew()
        }
        return nil
    }

    func write(_ data: Data) throws {
        try check(data)
        switch place {
        case .unopened: break
        case .writtenThrough(STDOUT_FILENO): try StandardStreams.write(data)
        case .writtenThrough(let number):
            do throws(StandardStreams.WriteError) {
                try StandardStreams.write(data, to: number)
            } catch {
                throw OutputError(path ?? "-", .system(error.number))
            }
        case .draft(let draft): try draft.write(data)
        }
    }

    /// The body is whole.
    func finish() throws(OutputError) {
        if case .draft(let draft) = place { try draft.commit() }
        place = .unopened
    }

    /// It will never be.
    func abandon() { place = .unopened }

    /// The path may lead elsewhere by now.
    private func openAnew() throws(OutputError) -> UnfinishedFile? {
        guard let path else { return nil }
        switch try OutputTarget(path: path) {
        case .standardOutput, .descriptor: throw OutputError(path, .system(EBUSY))
        case .device(let path):
            let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw .last(path) }
            place = .writtenThrough(descriptor)
            return nil
        case .file(let path, let existing):
            let draft = try DraftFile(of: path, existing: existing)
            place = .draft(draft)
            return draft.unfinished
        }
    }

    private func check(_ data: Data) throws(SteeringBody) {
        if let offset = terminal?.firstControl(in: data) {
            throw SteeringBody(byte: data[data.startIndex + offset])
        }
    }
}
