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
        #expect(vector.transcript([vector.octets[...]]) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `a message read byte by byte gives its events`(_ vector: WireVector) {
        #expect(vector.transcript(Cuts.drip(vector.octets)) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `a message cut anywhere gives its events`(_ vector: WireVector) {
        for cut in 0...vector.octets.count {
            let pieces = [vector.octets[..<cut], vector.octets[cut...]]
            #expect(vector.transcript(pieces) == vector.events, "cut at \(cut)")
        }
    }
}
