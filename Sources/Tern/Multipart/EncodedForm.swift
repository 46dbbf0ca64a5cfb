// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A form that is ready to be sent, by Alamofire's rule: a short one in memory, a long one in a file.
enum EncodedForm {
    case data(Data)
    case file(TemporaryForm)

    /// - Parameter threshold: parts that are as long, in bytes, make a long form.
    init(_ formData: MultipartFormData, threshold: UInt64) throws {
        if formData.contentLength < threshold {
            self = .data(try formData.encode())
        } else {
            self = .file(try TemporaryForm(formData))
        }
    }
}
