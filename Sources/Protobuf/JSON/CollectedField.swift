internal import ProxydParameterCoding

/// The values received for one field of a message.
struct CollectedField {
    let field: FieldDescriptor
    /// The values; for a singular field, only the last one.
    var values: [JSONValue] = []
    /// Whether the value equals the default.
    var isDefault = false
    /// The parts of a singular message, which are merged.
    var parts: [WireField] = []
    /// The keys of a map, parallel to `values`.
    var keys: [String] = []
    /// By bytes: canonically equivalent keys differ.
    private var places: [[UInt8]: Int] = [:]

    init(_ field: FieldDescriptor) { self.field = field }

    /// Sets the value of a key, replacing an earlier one.
    mutating func set(_ value: JSONValue, forKey key: String) {
        let bytes = Array(key.utf8)
        if let place = places[bytes] {
            values[place] = value
        } else {
            places[bytes] = values.count
            keys.append(key)
            values.append(value)
        }
    }

    /// Discards the values, after another field of the oneof was received.
    mutating func clear() {
        values = []
        parts = []
    }
}
