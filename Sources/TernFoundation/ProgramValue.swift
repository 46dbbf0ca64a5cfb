// SPDX-License-Identifier: Apache-2.0
import Foundation

extension String {
    /// The text of a program's value of any type. Foundation describes every date but one that is not a number: that
    /// ends the process.
    package init(describingValue value: Any) {
        let isNoDate = (value as? Date)?.timeIntervalSinceReferenceDate.isNaN == true
        self = isNoDate ? "nan" : "\(value)"
    }
}
