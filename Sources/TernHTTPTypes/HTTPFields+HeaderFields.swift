// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    public import HTTPTypes
    public import TernEngine

    extension HTTPFields {
        /// The same fields in their order, with repeats, the case of their names and the bytes of their values. What always
        /// carries credentials is marked `.disallow`, for those who compress fields; and so are the `sensitiveFields`.
        ///
        /// - Throws: the first field that has no counterpart.
        public init(
            _ fields: HeaderFields, sensitiveFields: SensitiveFields = SensitiveFields()
        ) throws(HTTPTypesError) {
            self.init()
            reserveCapacity(fields.count)
            for field in fields {
                guard let name = HTTPField.Name(field.name) else { throw .fieldName(field.name) }
                // What is not valid would be changed.
                guard HTTPField.isValidValue(field.bytes) else { throw .fieldValue(name: field.name) }
                var converted = HTTPField(name: name, value: field.bytes)
                if sensitiveFields.contains(field.name) { converted.indexingStrategy = .disallow }
                append(converted)
            }
        }
    }

    extension HeaderFields {
        /// The same fields in their order, with repeats, the case of their names and the bytes of their values.
        public init(_ fields: HTTPFields) {
            self.init()
            reserveCapacity(fields.count)
            for field in fields {
                // Copied within the call.
                let bytes = unsafe field.withUnsafeBytesOfValue { bytes in unsafe Array(bytes) }
                append(HeaderField(name: field.name.rawName, bytes: bytes))
            }
        }
    }

    extension SensitiveFields {
        /// The names of the fields that are marked `.disallow`, and the ones that are always sensitive.
        public init(_ fields: HTTPFields) {
            self.init(fields.lazy.filter { $0.indexingStrategy == .disallow }.map(\.name.rawName))
        }
    }
#endif
