internal import ProxydParameterCoding

/// What came of one field of a message.
struct CollectedField {
    let field: FieldDescriptor
    /// Its values; of a field that has one the last.
    var values: [JSONValue] = []
    /// Whether that is the default.
    var isDefault = false
    /// The parts of a message that is not repeated: what comes later is merged into it.
    var parts: [WireField] = []
    /// Keys of a map, whose values are in the same places.
    var keys: [String] = []
    private var places: [String: Int] = [:]

    init(_ field: FieldDescriptor) { self.field = field }

    /// Sets the value of a key; the last one counts.
    mutating func set(_ value: JSONValue, forKey key: String) {
        if let place = places[key] {
            values[place] = value
        } else {
            places[key] = values.count
            keys.append(key)
            values.append(value)
        }
    }

    /// Forgets what came: another field of its oneof did.
    mutating func clear() {
        values = []
        parts = []
    }
}
