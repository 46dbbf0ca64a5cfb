// SPDX-License-Identifier: Apache-2.0

/// Says that the content of a POST is a form where nobody says what it is, as URLSession does: for content that the request
/// itself has, and not for that of an upload.
struct FormContentType: HopPolicy {
    let interests = HopInterests.addition

    /// Nil where it has nothing to say.
    init?(of configuration: SessionConfiguration) {
        guard configuration.followsURLSession, configuration.httpAdditionalHeaders["Content-Type"] == nil else {
            return nil
        }
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let body = hop.request.body, hop.request.method == "POST", !hop.request.isUpload,
            hop.request.headers["Content-Type"] == nil
        else { return .ready }
        switch body {
        case .data(let data): if data.isEmpty { return .ready }
        case .once: break
        // Content that URLSession does not have.
        case .file, .stream: return .ready
        }
        var request = hop.request
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        return .change(request)
    }
}
