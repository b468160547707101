/// What a Range field asks for (RFC 9110 §14.2) of a file of a known length.
enum ByteRangeRequest: Sendable, Hashable {
    /// All of it: there is no such field, or it is not understood, or it asks for several ranges,
    /// which a server may answer with the whole.
    case whole
    /// One part of it, which is not empty.
    case part(Range<Int64>)
    /// Nothing that is there.
    case unsatisfiable

    /// - Parameter values: All values of the field, of which there are none, one or more.
    init(_ values: [String], byteCount: Int64) {
        self = .whole
        guard values.count == 1, let value = values.first,
            let equals = value.firstIndex(of: "="), value[..<equals].lowercased() == "bytes"
        else { return }
        let text = value[value.index(after: equals)...].utf8.filter { $0 != 0x20 && $0 != 0x09 }
        let ends = text.split(
            separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        switch (ByteRangeRequest.number(ends[0]), ByteRangeRequest.number(ends[1])) {
        case (.number(let first), .number(let last)) where first <= last:
            self = .from(first, to: last, of: byteCount)
        case (.number(let first), .nothing):
            self = .from(first, to: .max, of: byteCount)
        case (.nothing, .number(0)): self = .unsatisfiable
        // The last bytes of nothing are nothing, and that is the whole.
        case (.nothing, .number(let count)) where byteCount > 0:
            self = .part(max(0, byteCount - count)..<byteCount)
        default: break
        }
    }

    private static func from(_ first: Int64, to last: Int64, of byteCount: Int64) -> Self {
        guard first < byteCount else { return .unsatisfiable }
        return .part(first..<(min(last, byteCount - 1) + 1))
    }

    private enum Bound {
        case nothing
        case number(Int64)
        case noNumber
    }

    /// What is too large to be counted is behind every file's end.
    private static func number(_ digits: ArraySlice<UInt8>) -> Bound {
        guard !digits.isEmpty else { return .nothing }
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return .noNumber }
        return .number(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
