import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct VectorTests {
    @Test func `every file of HTTP test vectors has more than three cases`() {
        for name in WireVectorFile.names { #expect(WireVectorFile.read(name).count > 3, "\(name)") }
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector parsed whole gives its expected events`(_ vector: WireVector) {
        #expect(vector.transcript([vector.bytes[...]]) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector parsed byte by byte gives its expected events`(_ vector: WireVector) {
        #expect(vector.transcript(Cuts.drip(vector.bytes)) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector split in two at any place gives its expected events`(
        _ vector: WireVector
    ) {
        for cut in 0...vector.bytes.count {
            let pieces = [vector.bytes[..<cut], vector.bytes[cut...]]
            #expect(vector.transcript(pieces) == vector.events, "cut at \(cut)")
        }
    }
}
