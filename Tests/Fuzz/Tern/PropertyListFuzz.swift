// SPDX-License-Identifier: Apache-2.0
// Any bytes as a property list. Oracle: no trap; Foundation makes of a list that passes no more objects, and no deeper
// ones, than the limits say, in no more than libFuzzer's time.
import Foundation

@testable import Tern

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try PropertyListCheck.check(bytes.span)
    } catch {
        guard !error.description.isEmpty else { fatalError("\(error)") }
        return 0
    }
    guard let list = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil) else {
        return 0
    }
    // What programs do with a result: compare and print it.
    _ = (list as? NSObject)?.isEqual(list)
    guard !"\(list)".isEmpty || list is String || list is Data else { fatalError("a list without a description") }
    var (left, objects) = ([(object: list, depth: 0)], 0)
    while let (object, depth) = left.popLast() {
        objects += 1
        guard depth <= PropertyListLimit.depth, objects <= PropertyListLimit.objects(in: count) else {
            fatalError("the list comes to \(objects) objects, \(depth) deep")
        }
        if let array = object as? [Any] {
            left += array.map { ($0, depth + 1) }
        } else if let dictionary = object as? [String: Any] {
            left += dictionary.values.map { ($0, depth + 1) }
        }
    }
    return 0
}
