// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A form in a file, which exists as long as this object, or until it is removed.
final class TemporaryForm: Sendable {
    let url: URL

    init(_ formData: MultipartFormData) throws {
        let folder = try Self.folder()
        url = folder.appendingPathComponent(UUID().uuidString)
        try formData.writeEncodedData(to: url)
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// If other users can write to the temporary folder, one of them may have created a folder of that name: no form is
    /// written there.
    private static func folder() throws -> URL {
        do {
            let usual = try make("org.alamofire.manager")
            return isPrivate(usual) ? usual : try make("org.alamofire.manager.\(UUID().uuidString)")
        } catch {
            throw AFError.multipartEncodingFailed(reason: .outputStreamWriteFailed(error: error))
        }
    }

    private static func make(_ name: String) throws -> URL {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        let folder = base.appendingPathComponent("multipart.form.data")
        for url in [base, folder] where !FileManager.default.fileExists(atPath: url.path) {
            // No error where another thread was faster.
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return folder
    }

    /// Whether the file's folder and its parent belong to this user, and no other user may write there.
    private static func isPrivate(_ folder: URL) -> Bool {
        [folder, folder.deletingLastPathComponent()].allSatisfy { url in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
                let owner = attributes[.ownerAccountID] as? NSNumber,
                let permissions = attributes[.posixPermissions] as? NSNumber
            else { return false }
            return attributes[.type] as? FileAttributeType == .typeDirectory && owner.uint32Value == geteuid()
                && permissions.intValue & 0o022 == 0
        }
    }
}

/// A form ready for sending, by Alamofire's rule: a short one in memory, a long one in a file.
enum EncodedForm {
    case data(Data)
    case file(TemporaryForm)

    /// - Parameter threshold: the size of the parts, in bytes, from which a form is long.
    init(_ formData: MultipartFormData, threshold: UInt64) throws {
        if formData.contentLength < threshold {
            self = .data(try formData.encode())
        } else {
            self = .file(try TemporaryForm(formData))
        }
    }
}
