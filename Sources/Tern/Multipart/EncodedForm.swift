// SPDX-License-Identifier: Apache-2.0
import Foundation

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
