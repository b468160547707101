/// What was read of a message so far, by its fields.
struct FieldCollection {
    private let message: MessageDescriptor
    private(set) var places: [Int32: Int] = [:]
    var fields: [CollectedField] = []
    /// What is not described, in the order in which it came.
    var unknown: [WireField] = []
    /// The field of each oneof that came last.
    private var chosen: [Int32: Int32] = [:]

    init(_ message: MessageDescriptor) { self.message = message }

    /// Where a field is collected; nil where the message has none of the number.
    mutating func place(of number: Int32, _ registry: DescriptorRegistry) -> Int? {
        if let place = places[number] { return place }
        let found =
            message.fields[number] ?? registry.extension(of: message.fullName, number: number)
        guard let found else { return nil }
        places[number] = fields.count
        fields.append(CollectedField(found))
        return fields.count - 1
    }

    /// Takes back what came of the other fields of a oneof.
    mutating func noteSet(_ field: FieldDescriptor) {
        guard let oneof = field.oneof else { return }
        if let other = chosen[oneof], other != field.number, let place = places[other] {
            fields[place].clear()
        }
        chosen[oneof] = field.number
    }
}
