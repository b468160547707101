import HTTPModel
import HTTPWire
import Testing

@Suite struct VectorTests {
    @Test func `every vector file has cases`() {
        for name in VectorFile.names { #expect(VectorFile.read(name).count > 3, "\(name)") }
    }

    @Test(arguments: VectorFile.all)
    func `a message read whole gives its events`(_ vector: Vector) {
        #expect(vector.transcript([vector.octets[...]]) == vector.events)
    }

    @Test(arguments: VectorFile.all)
    func `a message read octet by octet gives its events`(_ vector: Vector) {
        #expect(vector.transcript(Cuts.drip(vector.octets)) == vector.events)
    }

    @Test(arguments: VectorFile.all)
    func `a message cut anywhere gives its events`(_ vector: Vector) {
        for cut in 0...vector.octets.count {
            let pieces = [vector.octets[..<cut], vector.octets[cut...]]
            #expect(vector.transcript(pieces) == vector.events, "cut at \(cut)")
        }
    }
}
