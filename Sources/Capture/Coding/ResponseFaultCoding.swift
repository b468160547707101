/// Stores repairs in the column `response_fault`, one per line.
enum ResponseFaultCoding {
    /// Returns the text to store, or nil if there are no repairs.
    static func text(of repairs: [String]) -> String? {
        repairs.isEmpty ? nil : repairs.joined(separator: "\n")
    }

    /// Returns the repairs in a stored text.
    static func repairs(of text: String?) -> [String] {
        text?.split(separator: "\n").map(String.init) ?? []
    }
}
