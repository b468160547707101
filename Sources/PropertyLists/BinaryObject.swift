internal import ProxydParameterCoding

/// One object of a binary property list.
enum BinaryObject {
    /// A container: its children are references to other objects.
    struct Container {
        enum Kind {
            case array
            case set
            /// Names first, then values.
            case dictionary
        }

        let kind: Kind
        let firstReference: Int
        /// The number of references, counting names and values separately.
        let childCount: Int
    }

    /// A value without children, and the size of its text or data in bytes.
    case scalar(Parameter, byteCount: Int)
    case container(Container)

    /// Reads the object at an offset before the offset table.
    static func read(
        _ bytes: [UInt8], at start: Int, _ layout: BinaryLayout
    ) throws(PropertyListError) -> BinaryObject {
        let low = bytes[start] & 0x0F
        let end = layout.tableOffset
        switch bytes[start] >> 4 {
        case BinaryPropertyList.Marker.simple: return .scalar(try simple(low, start), byteCount: 0)
        case BinaryPropertyList.Marker.int:
            return .scalar(try integer(bytes, start, end), byteCount: 0)
        case BinaryPropertyList.Marker.real:
            return .scalar(.double(try real(bytes, start, end)), byteCount: 0)
        case BinaryPropertyList.Marker.date:
            guard low == 3 else { throw PropertyListError(.unexpectedContent, at: start) }
            let seconds = try real(bytes, start, end)
            guard seconds.isFinite else { throw PropertyListError(.badValue, at: start) }
            return .scalar(.date(ParameterDate(secondsSince2001: seconds)), byteCount: 0)
        case BinaryPropertyList.Marker.uid:
            let body = try fixed(bytes, start, end, byteCount: Int(low) + 1)
            return .scalar(try uid(body, start), byteCount: 0)
        default: return try counted(bytes, start, layout)
        }
    }

    private static func simple(_ low: UInt8, _ start: Int) throws(PropertyListError) -> Parameter {
        switch low {
        case 0x0: return .null
        case 0x8: return .bool(false)
        case 0x9: return .bool(true)
        default: throw PropertyListError(.unexpectedContent, at: start)
        }
    }

    /// The bytes after an object's first one, which must lie before `end`.
    private static func fixed(
        _ bytes: [UInt8], _ start: Int, _ end: Int, byteCount: Int
    ) throws(PropertyListError) -> ArraySlice<UInt8> {
        guard byteCount <= end - start - 1 else { throw PropertyListError(.truncated, at: start) }
        return bytes[start + 1..<start + 1 + byteCount]
    }

    /// Numbers of one, two and four bytes are unsigned, those of eight signed; those of sixteen
    /// are for values too large for eight.
    private static func integer(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws(PropertyListError) -> Parameter {
        let low = bytes[start] & 0x0F
        guard low <= 4 else { throw PropertyListError(.badValue, at: start) }
        let byteCount = 1 << Int(low)
        let body = try fixed(bytes, start, end, byteCount: byteCount)
        let value = BinaryLayout.integer(
            bytes, body.endIndex - min(8, byteCount), min(8, byteCount))
        guard byteCount == 16 else { return .int(Int64(bitPattern: value)) }
        switch BinaryLayout.integer(bytes, body.startIndex, 8) {
        case 0: return Int64(exactly: value).map { .int($0) } ?? .uint(value)
        case .max where Int64(bitPattern: value) < 0: return .int(Int64(bitPattern: value))
        default: throw PropertyListError(.badValue, at: start)
        }
    }

    private static func real(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws(PropertyListError) -> Double {
        let low = bytes[start] & 0x0F
        guard low == 2 || low == 3 else { throw PropertyListError(.badValue, at: start) }
        let body = try fixed(bytes, start, end, byteCount: 1 << Int(low))
        let bits = BinaryLayout.integer(bytes, body.startIndex, body.count)
        return low == 3
            ? Double(bitPattern: bits)
            : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    private static func uid(
        _ body: ArraySlice<UInt8>, _ start: Int
    ) throws(PropertyListError) -> Parameter {
        guard body.count <= 8 else { throw PropertyListError(.badValue, at: start) }
        var value: UInt64 = 0
        for byte in body { value = value << 8 | UInt64(byte) }
        let number = Int64(exactly: value).map { Parameter.int($0) } ?? .uint(value)
        return .object([Parameter.Member(BinaryPropertyList.uidName, number)])
    }

    // MARK: Objects with a count

    private static func counted(
        _ bytes: [UInt8], _ start: Int, _ layout: BinaryLayout
    ) throws(PropertyListError) -> BinaryObject {
        let (count, bodyStart) = try count(bytes, start, layout.tableOffset)
        let room = layout.tableOffset - bodyStart
        let marker = bytes[start] >> 4
        switch marker {
        case BinaryPropertyList.Marker.array: return try container(.array, count, bodyStart, layout)
        case BinaryPropertyList.Marker.set, BinaryPropertyList.Marker.orderedSet:
            return try container(.set, count, bodyStart, layout)
        case BinaryPropertyList.Marker.dictionary:
            guard count <= room / 2 else { throw PropertyListError(.truncated, at: start) }
            return try container(.dictionary, count * 2, bodyStart, layout)
        default:
            let width = marker == BinaryPropertyList.Marker.utf16 ? 2 : 1
            guard count <= room / width else { throw PropertyListError(.truncated, at: start) }
            let body = bytes[bodyStart..<bodyStart + count * width]
            if marker == BinaryPropertyList.Marker.data {
                return .scalar(.data(Array(body)), byteCount: body.count)
            }
            guard let text = text(marker, body) else {
                let isText = (0x5...0x7).contains(marker)
                throw PropertyListError(isText ? .invalidText : .unexpectedContent, at: start)
            }
            return .scalar(.string(text), byteCount: text.utf8.count)
        }
    }

    private static func container(
        _ kind: Container.Kind, _ childCount: Int, _ first: Int, _ layout: BinaryLayout
    ) throws(PropertyListError) -> BinaryObject {
        guard layout.holds(childCount, from: first) else {
            throw PropertyListError(.truncated, at: first)
        }
        return .container(Container(kind: kind, firstReference: first, childCount: childCount))
    }

    /// The count and the start of its data; from fifteen on, a number object after the first byte.
    private static func count(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws(PropertyListError) -> (count: Int, bodyStart: Int) {
        let low = bytes[start] & 0x0F
        guard low == 0x0F else { return (Int(low), start + 1) }
        let number = start + 1
        guard number < end, bytes[number] >> 4 == BinaryPropertyList.Marker.int,
            bytes[number] & 0x0F <= 3
        else { throw PropertyListError(.badValue, at: start) }
        let byteCount = 1 << Int(bytes[number] & 0x0F)
        let body = try fixed(bytes, number, end, byteCount: byteCount)
        let value = BinaryLayout.integer(bytes, body.startIndex, byteCount)
        guard let count = Int(exactly: value) else {
            throw PropertyListError(.truncated, at: start)
        }
        return (count, body.endIndex)
    }

    private static func text(_ marker: UInt8, _ body: ArraySlice<UInt8>) -> String? {
        switch marker {
        case BinaryPropertyList.Marker.ascii:
            return body.allSatisfy { $0 < 0x80 } ? String(decoding: body, as: UTF8.self) : nil
        case BinaryPropertyList.Marker.utf8: return String(validating: body, as: UTF8.self)
        case BinaryPropertyList.Marker.utf16:
            let units = stride(from: body.startIndex, to: body.endIndex, by: 2).map {
                UInt16(body[$0]) << 8 | UInt16(body[$0 + 1])
            }
            return String(validating: units, as: UTF16.self)
        default: return nil
        }
    }
}
