internal import ProxydParameterCoding

/// Parses binary property lists, reading each object once however often it is referenced.
///
/// Every offset is checked before use, and sums of counts saturate. The expanded values of an
/// object are counted without expanding them, so that a short list of nested lists cannot become an
/// exponentially large tree.
struct BinaryPropertyListReader {
    /// An object that has been read.
    private struct Built {
        let value: Parameter
        /// The number of expanded values, including itself.
        let valueCount: Int
        let byteCount: Int
        let height: Int

        /// An object without children. A UID expands to a name and a number.
        static func scalar(_ value: Parameter, byteCount: Int) -> Built {
            let isUID = if case .object = value { true } else { false }
            return Built(
                value: value, valueCount: isUID ? 3 : 1, byteCount: byteCount,
                height: isUID ? 1 : 0)
        }
    }

    private enum State {
        case unread
        case isOpen
        case built(Built)
    }

    /// A container whose children are being read.
    private struct Frame {
        let object: Int
        let body: BinaryObject.Container
        var next = 0
    }

    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private var layout = BinaryLayout()
    private var states: [State] = []
    private var frames: [Frame] = []
    /// The references and bytes read so far. Objects may share their bytes, so the list's length
    /// does not bound them; every object that is read is part of the root's expansion.
    private var referenceCount = 0
    private var copiedByteCount = 0

    init(_ bytes: [UInt8], limits: PropertyListLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func read() throws(PropertyListError) -> Parameter {
        layout = try BinaryLayout(bytes)
        guard layout.objectCount <= limits.valueCountMax else {
            throw PropertyListError(.tooLarge, at: layout.tableOffset)
        }
        states = Array(repeating: .unread, count: layout.objectCount)
        if let root = try visit(layout.topObject) { return root.value }
        while let top = frames.indices.last {
            let frame = frames[top]
            if frame.next < frame.body.childCount {
                frames[top].next += 1
                let child = try layout.reference(frame.body.firstReference, frame.next, bytes)
                _ = try visit(child)
            } else {
                frames.removeLast()
                let built = try assemble(frame)
                states[frame.object] = .built(built)
                if frames.isEmpty { return built.value }
            }
        }
        throw PropertyListError(.truncated, at: bytes.count)
    }

    /// The object, if it is already available; a container not yet read is opened instead.
    private mutating func visit(_ object: Int) throws(PropertyListError) -> Built? {
        guard states.indices.contains(object) else {
            throw PropertyListError(.truncated, at: bytes.count)
        }
        let offset = try layout.offset(of: object, bytes)
        switch states[object] {
        case .built(let built): return built
        case .isOpen: throw PropertyListError(.cycle, at: offset)
        case .unread: break
        }
        switch try BinaryObject.read(bytes, at: offset, layout) {
        case .scalar(let value, let byteCount):
            copiedByteCount += byteCount
            guard copiedByteCount <= limits.byteCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            let built = Built.scalar(value, byteCount: byteCount)
            guard built.valueCount <= limits.valueCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            guard frames.count + built.height <= limits.depthMax else {
                throw PropertyListError(.tooDeep, at: offset)
            }
            states[object] = .built(built)
            return built
        case .container(let body):
            guard frames.count < limits.depthMax else {
                throw PropertyListError(.tooDeep, at: offset)
            }
            referenceCount += body.childCount
            guard referenceCount <= limits.valueCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            states[object] = .isOpen
            frames.append(Frame(object: object, body: body))
            return nil
        }
    }

    private func child(_ frame: Frame, _ index: Int) throws(PropertyListError) -> Built {
        let object = try layout.reference(frame.body.firstReference, index, bytes)
        guard case .built(let built) = states[object] else {
            throw PropertyListError(.truncated, at: frame.body.firstReference)
        }
        return built
    }

    private func assemble(_ frame: Frame) throws(PropertyListError) -> Built {
        let offset = try layout.offset(of: frame.object, bytes)
        var children: [Parameter] = []
        var valueCount = 1
        var byteCount = 0
        var height = 0
        children.reserveCapacity(frame.body.childCount)
        for index in 0..<frame.body.childCount {
            let child = try child(frame, index)
            children.append(child.value)
            // Each child is within the limits, so their sum cannot overflow before it is checked.
            valueCount += child.valueCount
            byteCount += child.byteCount
            height = max(height, child.height)
            guard valueCount <= limits.valueCountMax, byteCount <= limits.byteCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
        }
        guard height < limits.depthMax else { throw PropertyListError(.tooDeep, at: offset) }
        let value = try value(frame.body.kind, children, offset)
        return Built(value: value, valueCount: valueCount, byteCount: byteCount, height: height + 1)
    }

    private func value(
        _ kind: BinaryObject.Container.Kind, _ children: [Parameter], _ offset: Int
    ) throws(PropertyListError) -> Parameter {
        switch kind {
        case .array: return .array(children)
        case .set: return .set(children)
        case .dictionary: break
        }
        // All names precede all values.
        let count = children.count / 2
        var members: [Parameter.Member] = []
        members.reserveCapacity(count)
        for index in 0..<count {
            guard case .string(let name) = children[index] else {
                throw PropertyListError(.badName, at: offset)
            }
            members.append(Parameter.Member(name, children[count + index]))
        }
        return .object(members)
    }
}

/// Constants of the binary format: objects, then a table of their offsets, then a trailer of 32
/// bytes with the position of the table.
enum BinaryPropertyList {
    static let signature = Array("bplist00".utf8)
    static let trailerByteCount = 32
    /// The member name that represents a UID.
    static let uidName = "CF$UID"

    /// The upper four bits of an object's first byte.
    enum Marker {
        static let simple: UInt8 = 0x0
        static let int: UInt8 = 0x1
        static let real: UInt8 = 0x2
        static let date: UInt8 = 0x3
        static let data: UInt8 = 0x4
        static let ascii: UInt8 = 0x5
        static let utf16: UInt8 = 0x6
        static let utf8: UInt8 = 0x7
        static let uid: UInt8 = 0x8
        static let array: UInt8 = 0xA
        static let orderedSet: UInt8 = 0xB
        static let set: UInt8 = 0xC
        static let dictionary: UInt8 = 0xD
    }
}

/// The trailer of a binary property list, validated against the list's length.
struct BinaryLayout {
    private(set) var objectCount = 0
    private(set) var topObject = 0
    /// The start of the offset table, after all objects.
    private(set) var tableOffset = 0
    private var offsetByteCount = 1
    private var referenceByteCount = 1

    init() {}

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        let first = BinaryPropertyList.signature.count
        let trailer = bytes.count - BinaryPropertyList.trailerByteCount
        guard trailer > first else { throw PropertyListError(.truncated, at: bytes.count) }
        offsetByteCount = Int(bytes[trailer + 6])
        referenceByteCount = Int(bytes[trailer + 7])
        let count = BinaryLayout.integer(bytes, trailer + 8, 8)
        let top = BinaryLayout.integer(bytes, trailer + 16, 8)
        let table = BinaryLayout.integer(bytes, trailer + 24, 8)
        guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount),
            let table = Int(exactly: table), table > first, table < trailer,
            let count = Int(exactly: count), count > 0,
            count <= (trailer - table) / offsetByteCount,
            let top = Int(exactly: top), top < count
        else { throw PropertyListError(.truncated, at: trailer) }
        objectCount = count
        topObject = top
        tableOffset = table
    }

    func offset(of object: Int, _ bytes: [UInt8]) throws(PropertyListError) -> Int {
        let entry = tableOffset + object * offsetByteCount
        let offset = BinaryLayout.integer(bytes, entry, offsetByteCount)
        guard let offset = Int(exactly: offset), offset < tableOffset,
            offset >= BinaryPropertyList.signature.count
        else { throw PropertyListError(.truncated, at: entry) }
        return offset
    }

    /// The object that a container references at the given index.
    func reference(_ first: Int, _ index: Int, _ bytes: [UInt8]) throws(PropertyListError) -> Int {
        let place = first + index * referenceByteCount
        let object = BinaryLayout.integer(bytes, place, referenceByteCount)
        guard let object = Int(exactly: object), object < objectCount else {
            throw PropertyListError(.truncated, at: place)
        }
        return object
    }

    /// Whether this many references fit between an offset and the table.
    func holds(_ referenceCount: Int, from offset: Int) -> Bool {
        referenceCount <= (tableOffset - offset) / referenceByteCount
    }

    /// A big-endian number of up to eight bytes, which must be in bounds.
    static func integer(_ bytes: [UInt8], _ offset: Int, _ byteCount: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in bytes[offset..<offset + byteCount] { value = value << 8 | UInt64(byte) }
        return value
    }
}
