/// A range of bytes that is a message, and the bytes that contain it.
struct MessagePart {
    let octets: [UInt8]
    let range: Range<Int>

    init(_ octets: [UInt8], _ range: Range<Int>) {
        self.octets = octets
        self.range = range
    }

    init(_ octets: [UInt8]) { self.init(octets, octets.indices) }

    var reader: WireReader { WireReader(octets, range) }
}
