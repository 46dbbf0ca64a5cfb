// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Tern

/// Whether an error has this code: `catch URLError.timedOut`. Declared here, because no operator can be exported by its name.
public func ~= (code: Foundation.URLError.Code, error: any Error) -> Bool {
    (error as? SessionError)?.code == code || (error as? Foundation.URLError)?.code == code
}
