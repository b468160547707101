import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct VectorTests {
    @Test func `every vector file has cases`() {
        for name in WireVectorFile.names { #expect(WireVectorFile.read(name).count > 3, "\(name)") }
    }

    @Test(arguments: WireVectorFile.all)
    func `a message read whole gives its events`(_ vector: WireVector) {
        #expect(vector.transcript([vector.bytes[...]]) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `a message read byte by byte gives its events`(_ vector: WireVector) {
        #expect(vector.transcript(Cuts.drip(vector.bytes)) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `a message cut anywhere gives its events`(_ vector: WireVector) {
        for cut in 0...vector.bytes.count {
            let pieces = [vector.bytes[..<cut], vector.bytes[cut...]]
            #expect(vector.transcript(pieces) == vector.events, "cut at \(cut)")
        }
    }
}
