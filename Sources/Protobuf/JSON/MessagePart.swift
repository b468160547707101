/// A range of bytes that is a message, and the bytes that contain it.
struct MessagePart {
    let bytes: [UInt8]
    let range: Range<Int>

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

    var reader: WireReader { WireReader(bytes, range) }
}
