// SPDX-License-Identifier: Apache-2.0

extension URLRequest {
    /// Sets this form as the body, and the Content-Type field. The method is unchanged.
    public mutating func setForm(_ form: MultipartForm) {
        body = form.body
        setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    }
}
