/// Edits that leave all other lines unchanged, byte for byte.
extension HeaderFields {
    /// Changes the value of a line; its name keeps its spelling and its position. Does nothing if
    /// the position does not exist.
    public mutating func setValue(_ value: [UInt8], ofLineAt position: Int) {
        guard lines.indices.contains(position) else { return }
        let line = lines[position]
        append(name: Array(bytes[line.nameRange]), value: value, coding: line.coding)
        lines[position] = lines.removeLast()
    }

    /// Removes a line. Does nothing if the position does not exist.
    public mutating func removeLine(at position: Int) {
        if lines.indices.contains(position) { lines.remove(at: position) }
    }

    /// Returns the positions of the lines with this name, ignoring case.
    public func positions(named name: String) -> [Int] {
        let wanted = Array(name.utf8)
        return lines.indices.filter {
            ASCII.equalsIgnoringCase(bytes.span.extracting(lines[$0].nameRange), wanted.span)
        }
    }
}
