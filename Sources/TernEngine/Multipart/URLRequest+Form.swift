// SPDX-License-Identifier: Apache-2.0

extension URLRequest {
    /// Sets this form as the content, and the Content-Type field. The method is unchanged.
    public mutating func setForm(_ form: MultipartForm) {
        content = form.content
        setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    }
}
