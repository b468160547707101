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
        for offset in offsets {
            BinaryScalar.append(UInt64(offset), offsetByteCount, to: &bytes)
        }
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
        case .string(let text):
            return add(text)
        case .array(let elements), .set(let elements):
            return try begin(BinaryPropertyList.Marker.array, names: [], elements)
        case .object(let members):
            if let uid = BinaryScalar.uid(members) { return add(.scalar(uid)) }
            return try begin(
                BinaryPropertyList.Marker.dictionary, names: members.map(\.name),
                members.map(\.value))
        default:
            return add(.scalar(try BinaryScalar.bytes(parameter)))
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
