/// The lines of a body as text, to edit them one by one. A body that is not text, or too long, has
/// none.
struct ComposeText: Sendable {
    /// The maximum size in bytes of a body that needs no editor.
    private static let byteCountMax = 256 << 10

    /// The lines without line endings, or nil if the body cannot be edited line by line.
    let lines: [String]?
    private let ends: [[UInt8]]

    init(_ bytes: [UInt8]) {
        guard bytes.count <= ComposeText.byteCountMax,
            String(validating: bytes, as: UTF8.self) != nil
        else {
            lines = nil
            ends = []
            return
        }
        var lines: [String] = []
        var ends: [[UInt8]] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let isCRLF = line.last == 0x0D
            lines.append(String(decoding: isCRLF ? line.dropLast() : line, as: UTF8.self))
            ends.append(isCRLF ? [0x0D, 0x0A] : [0x0A])
        }
        // The last line has no line ending: a carriage return there is part of the text.
        if ends.last == [0x0D, 0x0A], let last = lines.popLast() { lines.append(last + "\r") }
        if bytes.isEmpty { lines = [] }
        self.lines = lines
        self.ends = ends
    }

    /// Returns the bytes with a line replaced.
    func replacing(_ index: Int, by text: String) -> [UInt8] {
        var changed = lines ?? []
        guard changed.indices.contains(index) else { return joined(changed, ends) }
        changed[index] = text
        return joined(changed, ends)
    }

    /// Returns the bytes with a line inserted. It gets the same line ending as the others.
    func inserting(_ text: String, at index: Int) -> [UInt8] {
        var (changed, changedEnds) = (lines ?? [], ends)
        let place = min(max(0, index), changed.count)
        let end: [UInt8] = ends.first == [0x0D, 0x0A] && ends.count > 1 ? [0x0D, 0x0A] : [0x0A]
        if place == changed.count, let last = changedEnds.indices.last { changedEnds[last] = end }
        changed.insert(text, at: place)
        changedEnds.insert(end, at: min(place, changedEnds.count))
        return joined(changed, changedEnds)
    }

    /// Returns the bytes without a line.
    func removing(_ index: Int) -> [UInt8] {
        var (changed, changedEnds) = (lines ?? [], ends)
        guard changed.indices.contains(index) else { return joined(changed, ends) }
        changed.remove(at: index)
        changedEnds.remove(at: min(index, changedEnds.count - 1))
        return joined(changed, changedEnds)
    }

    /// Returns the bytes with a line moved.
    func moving(_ index: Int, to place: Int) -> [UInt8] {
        var changed = lines ?? []
        guard changed.indices.contains(index), changed.indices.contains(place) else {
            return joined(changed, ends)
        }
        changed.insert(changed.remove(at: index), at: place)
        return joined(changed, ends)
    }

    private func joined(_ lines: [String], _ ends: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            bytes += line.utf8
            if index < lines.count - 1 { bytes += ends[index] }
        }
        return bytes
    }
}
