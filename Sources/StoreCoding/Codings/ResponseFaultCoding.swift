/// Stores repairs in the column `response_fault`, one per line.
package enum ResponseFaultCoding {
    /// Returns the text to store, or nil if there are no repairs.
    package static func text(of repairs: [String]) -> String? {
        repairs.isEmpty ? nil : repairs.joined(separator: "\n")
    }

    /// Returns the repairs in a stored text.
    package static func repairs(of text: String?) -> [String] {
        text?.split(separator: "\n").map(String.init) ?? []
    }
}
