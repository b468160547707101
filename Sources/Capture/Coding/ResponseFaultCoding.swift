/// How repairs stand in `response_fault`: one a line.
enum ResponseFaultCoding {
    /// The text of some repairs; nil where there are none.
    static func text(of repairs: [String]) -> String? {
        repairs.isEmpty ? nil : repairs.joined(separator: "\n")
    }

    /// The repairs of a stored text.
    static func repairs(of text: String?) -> [String] {
        text?.split(separator: "\n").map(String.init) ?? []
    }
}
