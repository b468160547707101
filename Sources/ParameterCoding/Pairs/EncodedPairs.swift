/// The ordered pairs of a query or form together with the original bytes.
///
/// Lossless: `k`, `k=`, repeated names, empty pairs, invalid escapes, `+` and `;` are all
/// preserved, and `joined()` returns the same bytes. An edit changes the bytes of its own pair
/// only; the pairs always correspond to the bytes.
public struct EncodedPairs: Sendable, Hashable {
    /// The bytes of all pairs as written, with the edits made since.
    public internal(set) var bytes: [UInt8]
    /// The pairs in their order, including empty ones (`a&&b`).
    public internal(set) var pairs: [EncodedPair]
    /// Decodes the pairs that edits create.
    let decoder: QueryDecoder

    /// The bytes of a pair, not decoded.
    public func raw(_ pair: EncodedPair) -> ArraySlice<UInt8> {
        bytes[pair.ranges.whole.clamped(to: bytes.indices)]
    }

    /// Joins the bytes of the pairs with their separators.
    public func joined() -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count)
        for pair in pairs {
            joined += raw(pair)
            let separator = pair.ranges.whole.upperBound
            if separator < bytes.count { joined.append(bytes[separator]) }
        }
        return joined
    }

    public static func == (first: EncodedPairs, second: EncodedPairs) -> Bool {
        first.bytes == second.bytes && first.pairs == second.pairs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(pairs)
    }
}

/// One pair of a query or form: the position of its bytes, and the decoded text.
public struct EncodedPair: Sendable, Hashable {
    /// The positions of name and value in the bytes of the pairs.
    public internal(set) var ranges: PairRanges
    /// The name's text: percent-decoded, `+` as a space.
    public let name: String
    /// The value's text; nil for a bare name without `=`.
    public let value: String?
    public let nameOrigin: TextOrigin
    public let valueOrigin: TextOrigin

    public var rawName: Range<Int> { ranges.name }
    /// The range of the value's bytes; nil for a bare name without `=`.
    public var rawValue: Range<Int>? { ranges.value }
}

/// Edits. Each takes time linear in the length of the bytes; an invalid position changes nothing
/// and returns false.
extension EncodedPairs {
    /// Renames a pair; the bytes of its value are unchanged.
    @discardableResult
    public mutating func rename(at position: Int, to name: String, escaping: EscapeSet = .rfc3986)
        -> Bool
    {
        guard pairs.indices.contains(position) else { return false }
        replace(pairs[position].ranges.name, with: escaped(name, escaping), of: position)
        return true
    }

    /// Changes the value of a pair; its name keeps its bytes. nil removes the `=` as well.
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

    @discardableResult
    public mutating func replace(
        at position: Int, name: String, value: String?, escaping: EscapeSet = .rfc3986
    ) -> Bool {
        guard pairs.indices.contains(position) else { return false }
        let encoded = encodedPair(name, value, escaping)
        replace(pairs[position].ranges.whole, with: encoded, of: position)
        return true
    }

    /// Inserts a pair at a position; the count of pairs appends it. The added separator is `&`. A
    /// pair without name and value cannot be the only one: it is then lost.
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
            bytes.insert(contentsOf: encoded + [0x26], at: start)
            shift(from: position, by: encoded.count + 1)
            pairs.insert(decoded(start..<start + encoded.count), at: position)
        } else {
            bytes.append(0x26)
            let start = bytes.count
            bytes += encoded
            pairs.append(decoded(start..<bytes.count))
        }
        return true
    }

    /// Sets the value of the first pair with a name, or appends a pair if none has it. Decoded
    /// names are compared byte for byte.
    public mutating func setFirst(named name: String, to value: String) {
        if let first = pairs.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            setValue(value, at: first)
        } else {
            insert(name: name, value: value, at: pairs.count)
        }
    }

    /// Removes a pair and the separator after it, or before it for the last pair. If a single empty
    /// pair would remain, nothing does: it has no bytes.
    @discardableResult
    public mutating func remove(at position: Int) -> Bool {
        guard pairs.indices.contains(position) else { return false }
        var range = pairs[position].ranges.whole
        if position + 1 < pairs.count {
            range = range.lowerBound..<range.upperBound + 1
        } else if position > 0 {
            range = range.lowerBound - 1..<range.upperBound
        }
        bytes.removeSubrange(range)
        pairs.remove(at: position)
        shift(from: position, by: -range.count)
        if bytes.isEmpty { pairs = [] }
        return true
    }

    /// Removes all pairs with a name, each with a separator as in `remove(at:)`, in time linear in
    /// the length of the bytes, and returns their number. Decoded names are compared byte for byte.
    @discardableResult
    public mutating func removeAll(named name: String) -> Int {
        removeAll { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Removes all pairs that satisfy a predicate, each with a separator as in `remove(at:)`, in
    /// time linear in the length of the bytes, and returns their number.
    @discardableResult
    public mutating func removeAll(where isGone: (EncodedPair) throws -> Bool) rethrows -> Int {
        var kept: [EncodedPair] = []
        var remaining: [UInt8] = []
        remaining.reserveCapacity(bytes.count)
        var keptEnd: Int?
        for pair in pairs where try !isGone(pair) {
            let whole = pair.ranges.whole
            // The separator after a pair stays with it, unless no other pair follows.
            if let last = keptEnd { remaining.append(bytes[last]) }
            keptEnd = whole.upperBound
            var moved = pair
            moved.ranges = pair.ranges.shifted(by: remaining.count - whole.lowerBound)
            kept.append(moved)
            remaining += bytes[whole]
        }
        let goneCount = pairs.count - kept.count
        bytes = remaining
        pairs = bytes.isEmpty ? [] : kept
        return goneCount
    }

    // MARK: Pieces

    /// Encodes a text in the charset of the pairs. Characters that would end a name or a pair, or
    /// decode to something else, are always escaped, whatever the set says.
    private func escaped(_ text: String, _ escaping: EscapeSet) -> [UInt8] {
        escaping.escaping("&=;+%#").encoded(decoder.text.bytes(of: text))
    }

    private func encodedPair(_ name: String, _ value: String?, _ escaping: EscapeSet) -> [UInt8] {
        escaped(name, escaping) + (value.map { [0x3D] + escaped($0, escaping) } ?? [])
    }

    private mutating func replace(_ range: Range<Int>, with new: [UInt8], of position: Int) {
        let whole = pairs[position].ranges.whole
        let growth = new.count - range.count
        bytes.replaceSubrange(range, with: new)
        shift(from: position + 1, by: growth)
        pairs[position] = decoded(whole.lowerBound..<whole.upperBound + growth)
        if bytes.isEmpty { pairs = [] }
    }

    private mutating func set(_ encoded: [UInt8]) {
        bytes = encoded
        pairs = encoded.isEmpty ? [] : [decoded(0..<encoded.count)]
    }

    private mutating func shift(from position: Int, by distance: Int) {
        guard position < pairs.count else { return }
        for index in position..<pairs.count {
            pairs[index].ranges = pairs[index].ranges.shifted(by: distance)
        }
    }

    private func decoded(_ whole: Range<Int>) -> EncodedPair {
        let equals = bytes[whole].firstIndex(of: 0x3D)
        let ranges = PairRanges(
            name: whole.lowerBound..<(equals ?? whole.upperBound),
            value: equals.map { $0 + 1..<whole.upperBound })
        return decoder.pair(ranges, in: bytes)
    }
}
