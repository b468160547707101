/// Something that is known, under a name: a line of a report.
package struct Fact: Sendable, Hashable {
    /// Columns of the name, and of what stands below a value.
    package static let labelColumnCount = 14

    /// In lower case; empty where the value goes on with the fact before.
    package let name: String
    /// Raw text.
    package let value: String
    package let role: Style.Role

    /// A value under a name.
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
