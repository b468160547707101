/// The lines of a body as text, for editing them one by one. What is no text, or too much of it,
/// has none.
struct ComposeText: Sendable {
    /// More is for an editor, octets.
    private static let byteCountMax = 256 << 10

    /// The lines without their ends; nil where the body cannot be edited line by line.
    let lines: [String]?
    private let ends: [[UInt8]]

    init(_ octets: [UInt8]) {
        guard octets.count <= ComposeText.byteCountMax,
            String(validating: octets, as: UTF8.self) != nil
        else {
            lines = nil
            ends = []
            return
        }
        var lines: [String] = []
        var ends: [[UInt8]] = []
        for line in octets.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let isCRLF = line.last == 0x0D
            lines.append(String(decoding: isCRLF ? line.dropLast() : line, as: UTF8.self))
            ends.append(isCRLF ? [0x0D, 0x0A] : [0x0A])
        }
        // The last line has no end: a carriage return there is the text's own.
        if ends.last == [0x0D, 0x0A], let last = lines.popLast() { lines.append(last + "\r") }
        if octets.isEmpty { lines = [] }
        self.lines = lines
        self.ends = ends
    }

    /// The octets with another line in the place of one.
    func replacing(_ index: Int, by text: String) -> [UInt8] {
        var changed = lines ?? []
        guard changed.indices.contains(index) else { return joined(changed, ends) }
        changed[index] = text
        return joined(changed, ends)
    }

    /// The octets with a line more. It ends like the others.
    func inserting(_ text: String, at index: Int) -> [UInt8] {
        var (changed, changedEnds) = (lines ?? [], ends)
        let place = min(max(0, index), changed.count)
        let end: [UInt8] = ends.first == [0x0D, 0x0A] && ends.count > 1 ? [0x0D, 0x0A] : [0x0A]
        if place == changed.count, let last = changedEnds.indices.last { changedEnds[last] = end }
        changed.insert(text, at: place)
        changedEnds.insert(end, at: min(place, changedEnds.count))
        return joined(changed, changedEnds)
    }

    /// The octets without a line.
    func removing(_ index: Int) -> [UInt8] {
        var (changed, changedEnds) = (lines ?? [], ends)
        guard changed.indices.contains(index) else { return joined(changed, ends) }
        changed.remove(at: index)
        changedEnds.remove(at: min(index, changedEnds.count - 1))
        return joined(changed, changedEnds)
    }

    /// The octets with two lines changed round.
    func moving(_ index: Int, to place: Int) -> [UInt8] {
        var changed = lines ?? []
        guard changed.indices.contains(index), changed.indices.contains(place) else {
            return joined(changed, ends)
        }
        changed.insert(changed.remove(at: index), at: place)
        return joined(changed, ends)
    }

    private func joined(_ lines: [String], _ ends: [[UInt8]]) -> [UInt8] {
        var octets: [UInt8] = []
        for (index, line) in lines.enumerated() {
            octets += line.utf8
            if index < lines.count - 1 { octets += ends[index] }
        }
        return octets
    }
}
