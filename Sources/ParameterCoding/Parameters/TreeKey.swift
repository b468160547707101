/// The key of an element, or of a superclass's encoder.
struct TreeKey: CodingKey {
    static let `super` = TreeKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }
}
