// SPDX-License-Identifier: Apache-2.0

extension URLRequest {
    /// Makes this form the content, and says so in the Content-Type field. The method stays as it is.
    public mutating func setForm(_ form: MultipartForm) {
        content = form.content
        setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    }
}
