/// Edits that leave every line but their own as it is, byte for byte.
extension HeaderFields {
    /// Gives a line another value; its name keeps its spelling and its place. A position that does
    /// not exist changes nothing.
    public mutating func setValue(_ value: [UInt8], ofLineAt position: Int) {
        guard lines.indices.contains(position) else { return }
        let line = lines[position]
        append(name: Array(octets[line.nameRange]), value: value, coding: line.coding)
        lines[position] = lines.removeLast()
    }

    /// Takes a line away. A position that does not exist changes nothing.
    public mutating func removeLine(at position: Int) {
        if lines.indices.contains(position) { lines.remove(at: position) }
    }

    /// The positions of the lines of a name, whatever its case.
    public func positions(named name: String) -> [Int] {
        let wanted = Array(name.utf8)
        return lines.indices.filter {
            ASCII.equalsIgnoringCase(octets.span.extracting(lines[$0].nameRange), wanted.span)
        }
    }
}
