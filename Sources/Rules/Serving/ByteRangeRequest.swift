/// The part of a file of known length that a Range field requests (RFC 9110 §14.2).
enum ByteRangeRequest: Sendable, Hashable {
    /// The whole file: there is no Range field, or it is not understood, or it requests several
    /// ranges, which a server may answer with the whole file.
    case whole
    /// One part of the file, which is not empty.
    case part(Range<Int64>)
    /// A range that does not exist in the file.
    case unsatisfiable

    /// - Parameter values: All values of the field; there may be none, one or more.
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
        // The last bytes of an empty file are the whole file.
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

    /// A number too large to represent is beyond the end of every file.
    private static func number(_ digits: ArraySlice<UInt8>) -> Bound {
        guard !digits.isEmpty else { return .nothing }
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return .noNumber }
        return .number(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
