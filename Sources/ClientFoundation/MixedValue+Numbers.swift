public import ClientLib
public import Foundation
public import ProxydParameterCoding

extension NSNull: MixedValue {
    /// A null.
    public var mixedParameter: Parameter { .null }
}

extension NSNumber: MixedValue {
    /// The number in the type it was created with.
    public var mixedParameter: Parameter {
        // `c` marks a Boolean.
        switch String(cString: objCType) {
        case "c": .bool(boolValue)
        case "d", "f": .double(doubleValue)
        case "Q": .uint(uint64Value)
        default: .int(int64Value)
        }
    }
}
