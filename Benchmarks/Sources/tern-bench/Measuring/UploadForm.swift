// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// The content of every form in addition to its file.
enum UploadForm {
    static let textName = UPLOAD_FORM_TEXT_NAME
    static let text = UPLOAD_FORM_TEXT
    static let fileName = UPLOAD_FORM_FILE_NAME
}
