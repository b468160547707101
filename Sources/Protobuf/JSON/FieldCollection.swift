/// The values of a message read so far, by field.
struct FieldCollection {
    private let message: MessageDescriptor
    private(set) var places: [Int32: Int] = [:]
    var fields: [CollectedField] = []
    /// Fields without a description, in wire order.
    var unknown: [WireField] = []
    /// The last field received of each oneof.
    private var chosen: [Int32: Int32] = [:]

    init(_ message: MessageDescriptor) { self.message = message }

    /// The index at which a field is collected; nil if the message has no field of this number.
    mutating func place(of number: Int32, _ registry: DescriptorRegistry) -> Int? {
        if let place = places[number] { return place }
        let found =
            message.fields[number] ?? registry.extension(of: message.fullName, number: number)
        guard let found else { return nil }
        places[number] = fields.count
        fields.append(CollectedField(found))
        return fields.count - 1
    }

    /// Discards the other fields of the same oneof.
    mutating func noteSet(_ field: FieldDescriptor) {
        guard let oneof = field.oneof else { return }
        if let other = chosen[oneof], other != field.number, let place = places[other] {
            fields[place].clear()
        }
        chosen[oneof] = field.number
    }
}
