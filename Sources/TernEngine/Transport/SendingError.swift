// SPDX-License-Identifier: Apache-2.0

/// Why a request could not be sent.
enum SendingError: Error {
    case transport(TransportError)
    case content(RequestBodyError)
}
