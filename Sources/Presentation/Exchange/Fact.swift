/// A named fact: a line of a report.
package struct Fact: Sendable, Hashable {
    /// The width of the name column, which also indents the continuation of a value.
    package static let labelColumnCount = 14

    /// The name in lower case; empty if the value continues the previous fact.
    package let name: String
    /// The value as raw text.
    package let value: String
    package let role: Style.Role

    /// Creates a fact.
    package init(_ name: String, _ value: String, _ role: Style.Role = .plain) {
        self.name = name
        self.value = value
        self.role = role
    }

    /// The name and the value in two columns.
    package var line: StyledText {
        var line = Fact.label(name)
        line.append(value, Style(role))
        return line
    }

    /// The first column alone.
    package static func label(_ name: String) -> StyledText {
        let width = labelColumnCount
        var line = StyledText(
            name + String(repeating: " ", count: max(1, width - name.count)), .dim)
        line.indent = width - 2
        return line
    }
}
