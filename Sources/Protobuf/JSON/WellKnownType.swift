/// Message types with a special JSON form. They need no descriptor.
enum WellKnownType: String {
    case any = "google.protobuf.Any"
    case timestamp = "google.protobuf.Timestamp"
    case duration = "google.protobuf.Duration"
    case fieldMask = "google.protobuf.FieldMask"
    case `struct` = "google.protobuf.Struct"
    case value = "google.protobuf.Value"
    case listValue = "google.protobuf.ListValue"
    case doubleValue = "google.protobuf.DoubleValue"
    case floatValue = "google.protobuf.FloatValue"
    case int64Value = "google.protobuf.Int64Value"
    case uint64Value = "google.protobuf.UInt64Value"
    case int32Value = "google.protobuf.Int32Value"
    case uint32Value = "google.protobuf.UInt32Value"
    case boolValue = "google.protobuf.BoolValue"
    case stringValue = "google.protobuf.StringValue"
    case bytesValue = "google.protobuf.BytesValue"

    /// The type of the `value` field of a wrapper; nil for other types.
    var wrapped: FieldDescriptor.Kind? {
        switch self {
        case .doubleValue: .double
        case .floatValue: .float
        case .int64Value: .int64
        case .uint64Value: .uint64
        case .int32Value: .int32
        case .uint32Value: .uint32
        case .boolValue: .bool
        case .stringValue: .string
        case .bytesValue: .bytes
        case .any, .timestamp, .duration, .fieldMask, .struct, .value, .listValue: nil
        }
    }
}
