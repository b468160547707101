@testable import ProxydControl
import Foundation

/// A value after its JSON was changed on the way.
func edited<Value: Codable>(
    _ value: Value, _ edit: (inout [String: Any]) -> Void
) throws -> Value {
    let line = Data(try ControlCoding.line(value))
    var members = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
    edit(&members)
    let bytes = try JSONSerialization.data(withJSONObject: members)
    return try ControlCoding.message(Value.self, from: [UInt8](bytes))
}
