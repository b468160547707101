/// Edits. Each takes time in the length of the octets; positions that do not exist change nothing
/// and give false.
extension EncodedPairs {
    /// Gives a pair another name; its value's octets stay.
    @discardableResult
    public mutating func rename(at position: Int, to name: String, escaping: EscapeSet = .rfc3986)
        -> Bool
    {
        guard pairs.indices.contains(position) else { return false }
        replace(pairs[position].ranges.name, with: escaped(name, escaping), of: position)
        return true
    }

    /// Gives a pair another value; its name's octets stay. Nil takes the `=` away, too.
    @discardableResult
    public mutating func setValue(
        _ value: String?, at position: Int, escaping: EscapeSet = .rfc3986
    ) -> Bool {
        guard pairs.indices.contains(position) else { return false }
        let ranges = pairs[position].ranges
        let encoded = value.map { [0x3D] + escaped($0, escaping) } ?? []
        replace(ranges.name.upperBound..<ranges.whole.upperBound, with: encoded, of: position)
        return true
    }

    /// Puts another pair in the place of one.
    @discardableResult
    public mutating func replace(
        at position: Int, name: String, value: String?, escaping: EscapeSet = .rfc3986
    ) -> Bool {
        guard pairs.indices.contains(position) else { return false }
        let encoded = encodedPair(name, value, escaping)
        replace(pairs[position].ranges.whole, with: encoded, of: position)
        return true
    }

    /// Inserts a pair so that it has the given position; the count of pairs appends it. The
    /// separator that is added is `&`. A pair without name and value cannot stand alone: among no
    /// others it vanishes.
    @discardableResult
    public mutating func insert(
        name: String, value: String?, at position: Int, escaping: EscapeSet = .rfc3986
    ) -> Bool {
        guard (0...pairs.count).contains(position) else { return false }
        let encoded = encodedPair(name, value, escaping)
        if pairs.isEmpty {
            set(encoded)
        } else if position < pairs.count {
            let start = pairs[position].ranges.whole.lowerBound
            octets.insert(contentsOf: encoded + [0x26], at: start)
            shift(from: position, by: encoded.count + 1)
            pairs.insert(decoded(start..<start + encoded.count), at: position)
        } else {
            octets.append(0x26)
            let start = octets.count
            octets += encoded
            pairs.append(decoded(start..<octets.count))
        }
        return true
    }

    /// Sets the value of the first pair with a name, or appends a pair if no pair has it. Names are
    /// compared byte for byte, decoded.
    public mutating func setFirst(named name: String, to value: String) {
        if let first = pairs.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            setValue(value, at: first)
        } else {
            insert(name: name, value: value, at: pairs.count)
        }
    }

    /// Takes a pair away, and the separator behind it; that of the last pair is the one before
    /// it. Where one empty pair would be left, nothing is: it has no octets.
    @discardableResult
    public mutating func remove(at position: Int) -> Bool {
        guard pairs.indices.contains(position) else { return false }
        var range = pairs[position].ranges.whole
        if position + 1 < pairs.count {
            range = range.lowerBound..<range.upperBound + 1
        } else if position > 0 {
            range = range.lowerBound - 1..<range.upperBound
        }
        octets.removeSubrange(range)
        pairs.remove(at: position)
        shift(from: position, by: -range.count)
        if octets.isEmpty { pairs = [] }
        return true
    }

    /// Takes all pairs of a name away, each with a separator as `remove(at:)` does, in time that
    /// follows the length of the octets; gives how many there were. Names are compared octet for
    /// octet, after they were decoded.
    @discardableResult
    public mutating func removeAll(named name: String) -> Int {
        removeAll { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Takes all pairs away that a rule finds, each with a separator as `remove(at:)` does, in time
    /// that follows the length of the octets; gives how many there were.
    @discardableResult
    public mutating func removeAll(where isGone: (EncodedPair) throws -> Bool) rethrows -> Int {
        var kept: [EncodedPair] = []
        var remaining: [UInt8] = []
        remaining.reserveCapacity(octets.count)
        var keptEnd: Int?
        for pair in pairs where try !isGone(pair) {
            let whole = pair.ranges.whole
            // The separator behind a pair stays with it, unless no other pair follows.
            if let last = keptEnd { remaining.append(octets[last]) }
            keptEnd = whole.upperBound
            var moved = pair
            moved.ranges = pair.ranges.shifted(by: remaining.count - whole.lowerBound)
            kept.append(moved)
            remaining += octets[whole]
        }
        let goneCount = pairs.count - kept.count
        octets = remaining
        pairs = octets.isEmpty ? [] : kept
        return goneCount
    }

    // MARK: Pieces

    /// The octets of a text. What would end a name or a pair is escaped whatever the set says, and
    /// so is what would be read as something else.
    private func escaped(_ text: String, _ escaping: EscapeSet) -> [UInt8] {
        escaping.escaping("&=;+%#").encoded(Array(text.utf8))
    }

    private func encodedPair(_ name: String, _ value: String?, _ escaping: EscapeSet) -> [UInt8] {
        escaped(name, escaping) + (value.map { [0x3D] + escaped($0, escaping) } ?? [])
    }

    /// Puts octets in the place of a part of a pair.
    private mutating func replace(_ range: Range<Int>, with new: [UInt8], of position: Int) {
        let whole = pairs[position].ranges.whole
        let growth = new.count - range.count
        octets.replaceSubrange(range, with: new)
        shift(from: position + 1, by: growth)
        pairs[position] = decoded(whole.lowerBound..<whole.upperBound + growth)
        if octets.isEmpty { pairs = [] }
    }

    private mutating func set(_ encoded: [UInt8]) {
        octets = encoded
        pairs = encoded.isEmpty ? [] : [decoded(0..<encoded.count)]
    }

    private mutating func shift(from position: Int, by distance: Int) {
        guard position < pairs.count else { return }
        for index in position..<pairs.count {
            pairs[index].ranges = pairs[index].ranges.shifted(by: distance)
        }
    }

    /// The pair whose octets are the given ones.
    private func decoded(_ whole: Range<Int>) -> EncodedPair {
        let equals = octets[whole].firstIndex(of: 0x3D)
        let ranges = PairRanges(
            name: whole.lowerBound..<(equals ?? whole.upperBound),
            value: equals.map { $0 + 1..<whole.upperBound })
        return decoder.pair(ranges, in: octets)
    }
}
