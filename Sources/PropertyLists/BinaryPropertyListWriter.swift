internal import ProxydParameterCoding

/// Writes binary property lists: objects in order of first use, with equal texts written once.
/// Nesting uses no stack.
struct BinaryPropertyListWriter {
    /// An object to write; its children are object numbers.
    private enum Object {
        case scalar([UInt8])
        case container(marker: UInt8, count: Int, references: [Int])
    }

    /// A container whose values are being added.
    private struct Level {
        let number: Int
        let marker: UInt8
        let count: Int
        let values: [Parameter]
        var references: [Int]
        var next = 0
    }

    private var objects: [Object] = []
    private var levels: [Level] = []
    private var textNumbers: [String: Int] = [:]

    mutating func document(_ root: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        _ = try begin(root)
        while let last = levels.indices.last {
            if levels[last].next == levels[last].values.count {
                let level = levels.removeLast()
                objects[level.number] = .container(
                    marker: level.marker, count: level.count, references: level.references)
            } else {
                let reference = try begin(levels[last].values[levels[last].next])
                levels[last].next += 1
                levels[last].references.append(reference)
            }
        }
        var bytes = BinaryPropertyList.signature
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        let referenceByteCount = BinaryPropertyListWriter.byteCount(of: objects.count - 1)
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let body): bytes += body
            case .container(let marker, let count, let references):
                BinaryScalar.appendHead(marker, count, to: &bytes)
                for reference in references {
                    BinaryScalar.append(UInt64(reference), referenceByteCount, to: &bytes)
                }
            }
        }
        let tableOffset = bytes.count
        let offsetByteCount = BinaryPropertyListWriter.byteCount(of: tableOffset)
        for offset in offsets { BinaryScalar.append(UInt64(offset), offsetByteCount, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
        for number in [objects.count, 0, tableOffset] {
            BinaryScalar.append(UInt64(number), 8, to: &bytes)
        }
        return bytes
    }

    private static func byteCount(of number: Int) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }

    /// Adds a value, or a container without its children; returns its object number.
    private mutating func begin(_ parameter: Parameter) throws(PropertyListWritingError) -> Int {
        switch parameter {
        case .string(let text): return add(text)
        case .array(let elements), .set(let elements):
            return try begin(BinaryPropertyList.Marker.array, names: [], elements)
        case .object(let members):
            if let uid = BinaryScalar.uid(members) { return add(.scalar(uid)) }
            return try begin(
                BinaryPropertyList.Marker.dictionary, names: members.map(\.name),
                members.map(\.value))
        default: return add(.scalar(try BinaryScalar.bytes(parameter)))
        }
    }

    private mutating func add(_ object: Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    private mutating func add(_ text: String) -> Int {
        // Swift treats canonically equivalent texts as equal, but their bytes differ.
        if let number = textNumbers[text], case .scalar(let bytes) = objects[number],
            bytes == BinaryScalar.text(text)
        {
            return number
        }
        let number = add(.scalar(BinaryScalar.text(text)))
        textNumbers[text] = number
        return number
    }

    private mutating func begin(
        _ marker: UInt8, names: [String], _ values: [Parameter]
    ) throws(PropertyListWritingError) -> Int {
        guard levels.count < PropertyListWriter.depthMax else { throw .tooDeep }
        // A container is numbered before its children.
        let number = add(.scalar([]))
        levels.append(
            Level(
                number: number, marker: marker, count: values.count, values: values,
                references: names.map { add($0) }))
        return number
    }
}

/// Encodes the objects of binary property lists that have no children.
enum BinaryScalar {
    /// The object for a value that is neither text nor a container.
    static func bytes(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        switch parameter {
        case .bool(let isTrue): return [isTrue ? 0x09 : 0x08]
        case .int(let number): return integer(number)
        case .uint(let number): return integer(number)
        case .double(let number): return try double(number, head: 0x23)
        case .decimal(let digits): return try decimal(digits)
        case .date(let date): return try double(date.secondsSince2001, head: 0x33)
        case .data(let data):
            var bytes: [UInt8] = []
            appendHead(BinaryPropertyList.Marker.data, data.count, to: &bytes)
            return bytes + data
        case .raw: throw .rawHasNoForm
        case .string(let text): return self.text(text)
        // Not scalars: the writer handles containers before it calls this.
        case .null, .array, .set, .object: throw .nullHasNoForm
        }
    }

    /// The object for a text: ASCII if possible, otherwise UTF-16.
    static func text(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            appendHead(BinaryPropertyList.Marker.ascii, text.utf8.count, to: &bytes)
            return bytes + text.utf8
        }
        appendHead(BinaryPropertyList.Marker.utf16, text.utf16.count, to: &bytes)
        for unit in text.utf16 { append(UInt64(unit), 2, to: &bytes) }
        return bytes
    }

    /// The UID that an object represents; nil if it is an ordinary object.
    static func uid(_ members: [Parameter.Member]) -> [UInt8]? {
        guard members.count == 1, let member = members.first,
            member.name == BinaryPropertyList.uidName
        else { return nil }
        let number: UInt64
        switch member.value {
        case .int(let value) where value >= 0: number = UInt64(value)
        case .uint(let value): number = value
        default: return nil
        }
        let byteCount = unsignedByteCount(number)
        var bytes = [BinaryPropertyList.Marker.uid << 4 | UInt8(byteCount - 1)]
        append(number, byteCount, to: &bytes)
        return bytes
    }

    /// Appends a marker byte with a count; counts from fifteen on follow the byte.
    static func appendHead(_ marker: UInt8, _ count: Int, to bytes: inout [UInt8]) {
        bytes.append(marker << 4 | UInt8(min(count, 0x0F)))
        if count >= 0x0F { bytes += integer(Int64(count)) }
    }

    /// Appends a number in big-endian order.
    static func append(_ number: UInt64, _ byteCount: Int, to bytes: inout [UInt8]) {
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        let byteCount = number < 0 ? 8 : unsignedByteCount(UInt64(number))
        var bytes = [BinaryPropertyList.Marker.int << 4 | UInt8(byteCount.trailingZeroBitCount)]
        append(UInt64(bitPattern: number), byteCount, to: &bytes)
        return bytes
    }

    private static func integer(_ number: UInt64) -> [UInt8] {
        if let signed = Int64(exactly: number) { return integer(signed) }
        var bytes: [UInt8] = [BinaryPropertyList.Marker.int << 4 | 4]
        append(0, 8, to: &bytes)
        append(number, 8, to: &bytes)
        return bytes
    }

    private static func double(
        _ number: Double, head: UInt8
    ) throws(PropertyListWritingError) -> [UInt8] {
        guard number.isFinite else { throw .notFinite }
        var bytes = [head]
        append(number.bitPattern, 8, to: &bytes)
        return bytes
    }

    private static func decimal(_ digits: String) throws(PropertyListWritingError) -> [UInt8] {
        guard JSONNumber.isValid(digits) else { throw .badNumber(digits) }
        if let number = Int64(digits) { return integer(number) }
        if let number = UInt64(digits) { return integer(number) }
        guard let number = Double(digits), number.isFinite else { throw .badNumber(digits) }
        return try double(number, head: 0x23)
    }

    private static func unsignedByteCount(_ number: UInt64) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }
}
