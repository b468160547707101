internal import ProxydHTTPModel

/// Edits of single lines; every other line keeps its bytes.
extension HeaderFields {
    /// Replaces the value of a line. Its name and the white space after the colon stay.
    mutating func setValue(_ value: String, at index: Int) {
        guard lines.indices.contains(index) else { return }
        let line = lines[index]
        replace(
            at: index, name: Array(bytes[line.nameRange]),
            separator: Array(bytes[Int(line.nameEnd)..<Int(line.valueStart)]),
            value: Array(value.utf8))
    }

    /// Replaces the name of a line. Its value stays.
    mutating func rename(at index: Int, to name: String) {
        guard lines.indices.contains(index) else { return }
        let line = lines[index]
        replace(
            at: index, name: Array(name.utf8),
            separator: Array(bytes[Int(line.nameEnd)..<Int(line.valueStart)]),
            value: Array(bytes[line.valueRange]))
    }

    /// Inserts a line at an index.
    mutating func insert(name: String, value: String, at index: Int) {
        append(name: name, value: value)
        move(from: lines.count - 1, to: index)
    }

    /// Removes a line.
    mutating func remove(at index: Int) {
        guard lines.indices.contains(index) else { return }
        var lines = lines
        lines.remove(at: index)
        self = HeaderFields(bytes: bytes, lines: lines)
    }

    /// Moves a line to another index.
    mutating func move(from index: Int, to place: Int) {
        guard lines.indices.contains(index), lines.indices.contains(place) else { return }
        var lines = lines
        lines.insert(lines.remove(at: index), at: place)
        self = HeaderFields(bytes: bytes, lines: lines)
    }

    /// Replaces a line with one made of these parts; `separator` may contain any white space.
    private mutating func replace(
        at index: Int, name: [UInt8], separator: [UInt8], value: [UInt8]
    ) {
        let offset = { (count: Int) in UInt32(truncatingIfNeeded: count) }
        let start = bytes.count
        let nameEnd = start + name.count
        let valueStart = nameEnd + separator.count
        let valueEnd = valueStart + value.count
        var bytes = bytes
        bytes += name + separator + value + [0x0D, 0x0A]
        var lines = lines
        lines[index] = Line(
            start: offset(start), nameEnd: offset(nameEnd), valueStart: offset(valueStart),
            valueEnd: offset(valueEnd), end: offset(bytes.count), name: FieldName(name.span))
        self = HeaderFields(bytes: bytes, lines: lines)
    }
}
