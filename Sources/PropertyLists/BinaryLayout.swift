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

    /// The start of an object.
    func offset(of object: Int, _ bytes: [UInt8]) throws(PropertyListError) -> Int {
        let entry = tableOffset + object * offsetByteCount
        let offset = BinaryLayout.integer(bytes, entry, offsetByteCount)
        guard let offset = Int(exactly: offset), offset < tableOffset,
            offset >= BinaryPropertyList.signature.count
        else { throw PropertyListError(.truncated, at: entry) }
        return offset
    }

    /// The object that a container references at the given index.
    func reference(
        _ first: Int, _ index: Int, _ bytes: [UInt8]
    ) throws(PropertyListError) -> Int {
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
