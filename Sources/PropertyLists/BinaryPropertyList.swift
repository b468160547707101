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
